// Counts the seconds since submission between two responses of the server. The count of a submission never goes back.
let counted = "";
let begun = Infinity;

function show(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-elapsed]")) {
    const address = place.closest<HTMLElement>("[data-live]")?.dataset["live"] ?? "";
    if (address !== counted) begun = Infinity;
    counted = address;
    begun = Math.min(begun, performance.now() - Number(place.dataset["elapsed"]) * 1000);
    place.textContent = `${Math.floor((performance.now() - begun) / 1000)} s`;
  }
}

setInterval(show, 1000);
document.addEventListener("replaced", show, true);
