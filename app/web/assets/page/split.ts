// The line between the statement and the editor: moved by pointer or arrow keys, back to the usual by a double click.
import { keep, recall } from "./memory";
import { LEAST, MEMORY, MOST, setShare, USUAL } from "./share";

const STEP = 2;

export function mountSplit(separator: HTMLElement): void {
  const whole = separator.parentElement;
  if (!whole) return;
  const move = (share: number) => {
    separator.ariaValueNow = String(setShare(share));
    keep(MEMORY, separator.ariaValueNow);
  };
  separator.ariaValueMin = String(LEAST);
  separator.ariaValueMax = String(MOST);
  separator.ariaValueNow = String(setShare(Number(recall(MEMORY)) || USUAL));
  separator.addEventListener("pointerdown", (event) => {
    separator.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  separator.addEventListener("pointermove", (event) => {
    if (!separator.hasPointerCapture(event.pointerId)) return;
    const place = whole.getBoundingClientRect();
    move(((event.clientX - place.left) / place.width) * 100);
  });
  separator.addEventListener("dblclick", () => move(USUAL));
  separator.addEventListener("keydown", (event) => {
    const share = target(event.key, Number(separator.ariaValueNow));
    if (share === null) return;
    event.preventDefault();
    move(share);
  });
}

function target(key: string, share: number): number | null {
  const targets: Record<string, number> = {
    ArrowLeft: share - STEP,
    ArrowRight: share + STEP,
    Home: LEAST,
    End: MOST,
    Enter: USUAL,
  };
  return targets[key] ?? null;
}
