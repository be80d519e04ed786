// Moments in the reader's zone. The server writes UTC and says so; a style hides its "UTC" where scripts run, so the
// text keeps its width and nothing moves. Where data-utc stands around them they stay in UTC, and say so: admins copy
// times into filters, which are in UTC, and compare them with the log's.
export function showLocalTimes(root: ParentNode): void {
  for (const place of root.querySelectorAll<HTMLTimeElement>("time[data-moment]")) {
    const moment = new Date(place.dateTime);
    if (Number.isNaN(moment.valueOf())) continue;
    if (place.closest("[data-utc]")) {
      place.title = longText(moment);
      continue;
    }
    place.title = `${longText(moment)} · ${place.textContent ?? ""}`;
    place.textContent = shortText(moment);
    delete place.dataset["moment"];
  }
}

function shortText(moment: Date): string {
  const date = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()].map(twoDigits).join("-");
  return `${date} ${[moment.getHours(), moment.getMinutes()].map(twoDigits).join(":")}`;
}

function longText(moment: Date): string {
  return moment.toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "long" });
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
