// Ctrl+Enter or Cmd+Enter in a field presses the button that it names.
for (const field of document.querySelectorAll("[data-shortcut]")) {
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    const button = document.getElementById(field.dataset.shortcut);
    if (!button) return;
    event.preventDefault();
    field.form.requestSubmit(button);
  });
}
