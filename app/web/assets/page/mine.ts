// The list of one's submissions on a problem's page, and the mark of a solved problem, kept up to date with the verdicts.
import { fetchFragment } from "./live";
import { showLocalTimes } from "./time";

const FACTS = ".problem-head .facts";

let latest = 0;

export async function refreshMine(place: HTMLElement): Promise<void> {
  const number = ++latest;
  const html = await fetchFragment(location.pathname);
  // An older answer may arrive after a newer one.
  if (!html || number !== latest) return;
  const page = new DOMParser().parseFromString(html, "text/html");
  copyContent(page.querySelector(FACTS), document.querySelector(FACTS));
  copyContent(page.querySelector("[data-mine]"), place);
  showLocalTimes(place);
}

function copyContent(from: Element | null, to: Element | null): void {
  if (from && to) to.innerHTML = from.innerHTML;
}
