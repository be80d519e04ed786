// Reloads the page when the package's files or their results change.
const bar = document.querySelector("[data-preview]");
const stream = new EventSource("/preview/events");

stream.addEventListener("version", (event) => {
  if (event.data !== bar.dataset.preview) {
    stream.close();
    location.reload();
  }
});
