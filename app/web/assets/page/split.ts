// The dividers between panes: pointer or arrow keys move them, double click or Enter resets them.
import { DIVISIONS, type Division, divide, recallShare } from "./share";

const STEP = 2;

export function mountSplit(separator: HTMLElement): void {
  const whole = separator.parentElement;
  const division = DIVISIONS[separator.dataset["split"] ?? ""];
  if (!whole || !division) return;
  const isUpright = separator.ariaOrientation !== "horizontal";
  const tell = (share: number) => {
    separator.ariaValueNow = String(share);
  };
  const move = (share: number | null) => tell(divide(division, share));
  separator.ariaValueMin = String(division.least);
  separator.ariaValueMax = String(division.most);
  tell(recallShare(division));
  separator.addEventListener("focus", () => tell(recallShare(division)));
  separator.addEventListener("pointerdown", (event) => {
    separator.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  separator.addEventListener("pointermove", (event) => {
    if (!separator.hasPointerCapture(event.pointerId)) return;
    const place = whole.getBoundingClientRect();
    const reached = isUpright ? (event.clientX - place.left) / place.width : (event.clientY - place.top) / place.height;
    move(reached * 100);
  });
  separator.addEventListener("dblclick", () => move(null));
  separator.addEventListener("keydown", (event) => {
    const share = target(event.key, Number(separator.ariaValueNow), division);
    if (share === undefined) return;
    event.preventDefault();
    move(share);
  });
}

function target(key: string, share: number, division: Division): number | null | undefined {
  const targets: Record<string, number | null> = {
    ArrowLeft: share - STEP,
    ArrowUp: share - STEP,
    ArrowRight: share + STEP,
    ArrowDown: share + STEP,
    Home: division.least,
    End: division.most,
    Enter: null,
  };
  return targets[key];
}
