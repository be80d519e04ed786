// Reads an open solution into its tab when the tab is first shown. Without scripts a link leads to its page.
import { fetchFragment } from "./live";
import { phrase } from "./phrase";
import { showLocalTimes } from "./time";

export function mountSolution(whole: HTMLElement): void {
  const load = async () => {
    const place = whole.querySelector<HTMLElement>("[data-solution]");
    if (!place || place.hasChildNodes() || !place.checkVisibility()) return;
    const html = await fetchFragment(place.dataset["solution"] ?? "");
    const found = html && new DOMParser().parseFromString(html, "text/html").querySelector(".solution");
    if (place.hasChildNodes()) return;
    place.append(found || phrase(place, "away"));
    showLocalTimes(place);
  };
  whole.addEventListener("shown", () => void load());
  whole.addEventListener("replaced", () => void load());
}
