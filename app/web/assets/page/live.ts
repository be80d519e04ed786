// Updates a fragment until it is final, by server-sent events. If none arrives for a while (a buffering proxy, a broken
// stream), it polls. Returns a function that stops it.
import { morph } from "./morph";
import { showLocalTimes } from "./time";

const QUIET_MS = 4000;
const BROKEN_MS = 1500;
const MEASURED_MS = [1500, 4000, 10_000]; // after the verdict, the worker measures the time of the reference

export function keepFresh(place: HTMLElement): () => void {
  if (isFinal(place)) return () => {};
  const address = place.dataset["live"] ?? "";
  let timer = 0;
  const stream = new EventSource(place.dataset["events"] ?? "");
  const stop = () => {
    stream.close();
    clearTimeout(timer);
  };
  const show = (html: string) => {
    replace(place, html);
    if (!isFinal(place)) return pollIn(QUIET_MS);
    stop();
    awaitMeasurement(0);
  };
  const awaitMeasurement = (tries: number) => {
    const pause = MEASURED_MS[tries];
    if (pause === undefined || !place.querySelector("[data-unmeasured]")) return;
    timer = window.setTimeout(async () => {
      const html = await fetchFragment(address);
      if (place.dataset["live"] !== address) return;
      if (html !== null) replace(place, html);
      awaitMeasurement(tries + 1);
    }, pause);
  };
  const poll = async () => {
    const html = await fetchFragment(address);
    if (place.dataset["live"] !== address) return;
    if (html === null) pollIn(QUIET_MS);
    else show(html);
  };
  const pollIn = (ms: number) => {
    clearTimeout(timer);
    timer = window.setTimeout(poll, ms);
  };

  stream.addEventListener("result", (event) => show((event as MessageEvent<string>).data));
  stream.addEventListener("done", stop);
  stream.addEventListener("error", () => {
    if (!isFinal(place)) pollIn(BROKEN_MS);
  });
  pollIn(QUIET_MS);
  return stop;
}

export async function fetchFragment(address: string): Promise<string | null> {
  try {
    const response = await fetch(address);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function isFinal(place: HTMLElement): boolean {
  return place.querySelector("[data-final]") !== null;
}

// Keeps the open, scrolled and focused elements.
export function replace(place: HTMLElement, html: string): void {
  const fresh = place.cloneNode(false) as HTMLElement;
  fresh.innerHTML = html;
  showLocalTimes(fresh);
  morph(place, fresh);
  announce(place);
  showTitle(place);
  place.dispatchEvent(new Event("replaced"));
}

// The live region is never replaced, or screen readers would not announce it.
function announce(place: HTMLElement): void {
  const words = place.querySelector("[data-announce]")?.textContent?.trim() ?? "";
  const region = document.getElementById(place.dataset["announcer"] ?? "");
  if (region && region.textContent !== words) region.textContent = words;
}

// The title of a page about one result begins with its state, as the server writes it.
function showTitle(place: HTMLElement): void {
  const state = place.querySelector("[data-announce]")?.firstChild?.textContent;
  if (state && "titled" in place.dataset) document.title = document.title.replace(/^.*? · /, `${state} · `);
}

document.addEventListener("click", (event) => {
  const summary = (event.target as Element).closest<HTMLElement>("[data-live] summary");
  if (summary?.parentElement) summary.parentElement.dataset["touched"] = "";
});
