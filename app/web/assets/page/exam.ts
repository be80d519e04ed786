// The bar of an exam: its clock counts down, and an event stream brings another end or a notice. A hidden page has no
// stream, since a browser opens only a few connections to one site.
import { replace } from "./live";

const AGAIN_MS = 10_000;

export function mountExam(bar: HTMLElement): void {
  let end = readEnd(bar);
  let stream: EventSource | null = null;

  const open = () => {
    stream?.close();
    stream = null;
    if (document.hidden) return;
    stream = new EventSource(bar.dataset["exam"] ?? "");
    stream.addEventListener("clock", (event) => {
      replace(bar, (event as MessageEvent<string>).data);
      end = readEnd(bar);
      show(bar, end);
    });
    stream.addEventListener("done", () => location.assign(bar.dataset["examPage"] ?? "/"));
    stream.addEventListener("error", () => {
      if (stream?.readyState === EventSource.CLOSED) window.setTimeout(open, AGAIN_MS); // refused
    });
  };
  document.addEventListener("visibilitychange", open);
  window.setInterval(() => show(bar, end), 1000);
  show(bar, end);
  open();
}

// The server says how many seconds are left, since the clock of this machine may be wrong.
function readEnd(bar: HTMLElement): number {
  const left = bar.querySelector<HTMLElement>("[data-left]")?.dataset["left"] ?? "0";
  return performance.now() + Number(left) * 1000;
}

function show(bar: HTMLElement, end: number): void {
  const place = bar.querySelector<HTMLElement>("[data-left]");
  if (!place) return;
  const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60].map((part) => String(part).padStart(2, "0"));
  place.textContent = `${Math.floor(seconds / 3600)}:${parts.join(":")}`;
  place.classList.toggle("is-short", seconds < 300);
}
