// Custom inputs: an editor with line numbers that marks faulty lines. The text is stored in this browser.
import type { EditorView } from "@codemirror/view";
import { type Mark, showMarks } from "../editor/mark";
import { mountEditor, replaceAll } from "../editor/mount";
import { keep, recall } from "./memory";
import { showPane } from "./pane";

interface Kept {
  text: string;
  isOpen: boolean;
}

export function mountInputs(panel: HTMLDetailsElement): void {
  const area = panel.querySelector("textarea");
  const form = area?.form;
  if (!area || !form) return;
  const key = panel.dataset["inputs"] ?? "";
  const example = panel.querySelector("template")?.content.textContent ?? "";
  const before = panel.hasAttribute("data-given") ? null : read(key);
  const view = mountEditor(area, []);
  if (before) {
    if (before.text !== area.value) replaceAll(view, before.text);
    panel.open = before.isOpen;
  }
  const remember = () => {
    const kept: Kept = { text: area.value, isOpen: panel.open };
    keep(key, JSON.stringify(kept));
  };
  area.addEventListener("input", remember);
  panel.addEventListener("toggle", remember);
  panel.querySelector("[data-example]")?.addEventListener("click", () => {
    replaceAll(view, example);
    view.focus();
  });
  form.addEventListener("submit", () => show(panel, view, []));
  form.addEventListener("refused", (event) => {
    const page = (event as CustomEvent<Document>).detail;
    show(panel, view, [...page.querySelectorAll("[data-input-faults] li")]);
  });
  showMarks(view, marks(panel));
}

function show(panel: HTMLElement, view: EditorView, faults: readonly Element[]): void {
  const list = panel.querySelector<HTMLElement>("[data-input-faults]");
  if (!list) return;
  list.replaceChildren(...faults.map((fault) => document.importNode(fault, true)));
  list.hidden = faults.length === 0;
  showMarks(view, marks(panel));
  if (faults.length) showPane("source");
}

// The list shows the messages.
function marks(panel: HTMLElement): Mark[] {
  const lines = [...panel.querySelectorAll<HTMLElement>("[data-input-faults] li")].map((one) => Number(one.dataset["line"]));
  return lines.map((line) => ({ line, words: "" }));
}

function read(key: string): Kept | null {
  try {
    const kept = JSON.parse(recall(key) ?? "null") as Partial<Kept> | null;
    return typeof kept?.text === "string" ? { text: kept.text, isOpen: kept.isOpen === true } : null;
  } catch {
    return null;
  }
}
