// The list of one's submissions on a problem's page, kept up to date with the verdicts.
import { fetchFragment } from "./live";
import { showLocalTimes } from "./time";

export async function refreshMine(place: HTMLElement): Promise<void> {
  const html = await fetchFragment(location.pathname);
  const fresh = html && new DOMParser().parseFromString(html, "text/html").querySelector<HTMLElement>("[data-mine]");
  if (!fresh) return;
  place.innerHTML = fresh.innerHTML;
  showLocalTimes(place);
}
