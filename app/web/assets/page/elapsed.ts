// Counts the seconds since submission between two responses of the server.
setInterval(() => {
  for (const place of document.querySelectorAll<HTMLElement>("[data-elapsed]")) {
    const seconds = Number(place.dataset["elapsed"]) + 1;
    place.dataset["elapsed"] = String(seconds);
    place.textContent = `${seconds} s`;
  }
}, 1000);
