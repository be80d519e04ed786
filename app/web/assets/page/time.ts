// Times in the reader's time zone. The server writes UTC with the word "UTC", which a style hides where scripts run, so
// that the text keeps its width. Inside data-utc, times stay in UTC: admins copy them into filters and compare them with
// logs.
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
