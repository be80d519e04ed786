// Tab and Shift+Tab indent, Enter keeps the indentation. Escape, then Tab, leaves the field: the keyboard is not trapped.
const INDENT = "    ";

for (const area of document.querySelectorAll("textarea[data-indent]")) mount(area);

function mount(area) {
  let leaving = false;
  area.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { leaving = true; return; }
    if (event.key === "Tab" && !leaving && !event.ctrlKey && !event.altKey && !event.metaKey) {
      event.preventDefault();
      if (event.shiftKey) dedentLines(area); else indent(area);
    }
    if (event.key === "Enter" && !event.isComposing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      insert(area, "\n" + indentationHere(area));
    }
    if (event.key !== "Shift") leaving = false;
  });
  area.addEventListener("blur", () => { leaving = false; });
}

function indent(area) {
  if (area.value.slice(area.selectionStart, area.selectionEnd).includes("\n")) {
    changeLines(area, (line) => (line ? INDENT + line : line));
  } else {
    const column = area.selectionStart - lineStart(area);
    insert(area, " ".repeat(INDENT.length - (column % INDENT.length)));
  }
}

function dedentLines(area) {
  changeLines(area, (line) => line.replace(/^ {1,4}|^\t/, ""));
}

function changeLines(area, change) {
  const start = lineStart(area);
  const end = Math.max(area.selectionEnd, start);
  const changed = area.value.slice(start, end).split("\n").map(change).join("\n");
  const wasSelection = area.selectionStart !== area.selectionEnd;
  area.setSelectionRange(start, end);
  insert(area, changed);
  if (wasSelection) area.setSelectionRange(start, start + changed.length);
}

function indentationHere(area) {
  const line = area.value.slice(lineStart(area), area.selectionStart);
  return /^[ \t]*/.exec(line)[0] + (/:\s*(#.*)?$/.test(line) ? INDENT : "");
}

function lineStart(area) {
  return area.value.lastIndexOf("\n", area.selectionStart - 1) + 1;
}

// The old command, because it alone keeps the browser's undo.
function insert(area, text) {
  const done = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  if (!done) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
