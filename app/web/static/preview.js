// Loads the page again when the files of the package have changed, or what is known of them.
const bar = document.querySelector("[data-preview]");
const stream = new EventSource("/preview/events");

stream.addEventListener("version", (event) => {
  if (event.data !== bar.dataset.preview) {
    stream.close();
    location.reload();
  }
});
