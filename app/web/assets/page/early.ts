// Runs before the first paint, so that nothing moves afterwards.
import { applyAppearance } from "./appearance";
import { DIVISIONS, divide, recallShare } from "./share";

applyAppearance();
for (const division of Object.values(DIVISIONS)) {
  const share = recallShare(division);
  if (share !== division.usual) divide(division, share);
}
