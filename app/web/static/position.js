// Says in which line and column the cursor stands, since messages name lines.
for (const area of document.querySelectorAll("textarea[data-position]")) {
  const place = document.getElementById(area.dataset.position);
  const show = () => {
    const before = area.value.slice(0, area.selectionEnd);
    place.textContent = `Line ${before.split("\n").length}, column ${before.length - before.lastIndexOf("\n")}`;
  };
  for (const name of ["input", "keyup", "click", "select", "focus"]) area.addEventListener(name, show);
}
