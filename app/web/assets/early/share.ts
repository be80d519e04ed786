// Runs before the first paint, so that nothing moves afterwards.
import { DIVISIONS, divide, recallShare } from "../page/share";

for (const division of Object.values(DIVISIONS)) {
  const share = recallShare(division);
  if (share !== division.usual) divide(division, share);
}
