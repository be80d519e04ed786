// Marks the lines that the result's tracebacks name, while the code is the judged one, and marks the result as old when
// it is not. A traceback's links lead into the editor.
import type { EditorView } from "@codemirror/view";
import { goToLine, type Mark, showMarks } from "../editor/mark";
import { reveal } from "./pane";

export function mountFaults(view: EditorView, form: HTMLFormElement, result: HTMLElement): void {
  const earlier = result.querySelector<HTMLTemplateElement>("template[data-judged]");
  let judged = earlier?.content.textContent ?? "";
  const old = result.querySelector<HTMLElement>("[data-old]");
  const compare = () => {
    if (old) old.hidden = judged === "" || view.state.doc.toString() === judged;
  };
  const mark = () => {
    if (view.state.doc.toString() === judged) showMarks(view, read(result));
    compare();
  };
  form.addEventListener("input", compare);
  form.addEventListener("submit", () => {
    judged = view.state.doc.toString();
    showMarks(view, []);
    compare();
  });
  result.querySelector("[data-live]")?.addEventListener("replaced", mark);
  result.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#L']");
    if (!link) return;
    event.preventDefault();
    reveal(form);
    goToLine(view, lineOf(link));
  });
  mark();
}

// The last line of each traceback raised the error.
function read(result: HTMLElement): Mark[] {
  const found = new Map<number, string>();
  for (const place of result.querySelectorAll<HTMLElement>("[data-fault]")) {
    const link = [...place.querySelectorAll<HTMLAnchorElement>("a[href^='#L']")].at(-1);
    if (link && !found.has(lineOf(link))) found.set(lineOf(link), place.dataset["fault"] ?? "");
  }
  return [...found].map(([line, words]) => ({ line, words }));
}

function lineOf(link: HTMLAnchorElement): number {
  return Number(link.hash.slice(2));
}
