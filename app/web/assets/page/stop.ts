// Cancels a submission without leaving the page. Without scripts the form works by itself.
import { fetchFragment, replace } from "./live";

document.addEventListener("submit", async (event) => {
  const form = event.target as HTMLFormElement;
  const place = form.closest<HTMLElement>("[data-live]");
  if (!place || !form.matches("[data-stop]")) return;
  event.preventDefault();
  const button = form.querySelector("button");
  if (button) button.disabled = true;
  try {
    await fetch(form.action, { method: "POST", redirect: "manual" });
    const html = await fetchFragment(place.dataset["live"] ?? "");
    if (html !== null) replace(place, html);
  } catch {
    form.submit();
  }
});
