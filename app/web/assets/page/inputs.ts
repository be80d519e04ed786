// Custom inputs: an editor with line numbers that marks faulty lines. This browser keeps several texts for each problem.
import type { EditorView } from "@codemirror/view";
import { type Mark, showMarks } from "../editor/mark";
import { mountEditor, replaceAll } from "../editor/mount";
import { keep, recall } from "./memory";
import { reveal } from "./pane";
import { phrase } from "./phrase";

const MOST = 9;

interface Kept {
  texts: string[];
  at: number; // the shown text's place
}

export function mountInputs(panel: HTMLElement): void {
  const area = panel.querySelector("textarea");
  const form = area?.form;
  if (!area || !form) return;
  const key = panel.dataset["inputs"] ?? "";
  const example = panel.querySelector("template")?.content.textContent ?? "";
  const kept = read(key) ?? { texts: [area.value], at: 0 };
  const given = panel.hasAttribute("data-given") ? area.value : null;
  const view = mountEditor(area, []);
  const list = panel.querySelector<HTMLElement>("[data-input-list]");
  const add = panel.querySelector<HTMLButtonElement>("[data-input-add]");
  const full = panel.querySelector<HTMLElement>("[data-input-full]");
  const remove = panel.querySelector<HTMLButtonElement>("[data-input-remove]");

  const draw = () => {
    list?.replaceChildren(...(kept.texts.length > 1 ? kept.texts.map((_, at) => choice(panel, at, kept.at === at, choose)) : []));
    if (add) add.hidden = kept.texts.length >= MOST;
    if (full) full.hidden = kept.texts.length < MOST;
    if (remove) remove.hidden = kept.texts.length < 2;
    keep(key, JSON.stringify(kept));
  };
  const choose = (at: number) => {
    kept.at = at;
    const text = kept.texts[at] ?? example;
    if (text !== area.value) replaceAll(view, text);
    show(panel, view, []);
    warn(panel, text);
    draw();
  };

  area.addEventListener("input", () => {
    kept.texts[kept.at] = area.value;
    keep(key, JSON.stringify(kept));
    warn(panel, area.value);
  });
  add?.addEventListener("click", () => {
    choose(kept.texts.push(example) - 1);
    view.focus();
  });
  remove?.addEventListener("click", () => {
    kept.texts.splice(kept.at, 1);
    choose(Math.max(kept.at - 1, 0));
    view.focus();
  });
  panel.querySelector("[data-example]")?.addEventListener("click", () => {
    replaceAll(view, example);
    view.focus();
  });
  form.addEventListener("submit", () => show(panel, view, []));
  form.addEventListener("refused", (event) => {
    const page = (event as CustomEvent<Document>).detail;
    show(panel, view, [...page.querySelectorAll("[data-input-faults] li")]);
  });
  if (given !== null) {
    const place = kept.texts.indexOf(given);
    kept.at = place < 0 ? Math.min(kept.texts.length, MOST - 1) : place;
    kept.texts[kept.at] = given;
    draw();
    showMarks(view, marks(panel));
  } else {
    choose(kept.at);
  }
}

function choice(panel: HTMLElement, at: number, isChosen: boolean, choose: (at: number) => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = String(at + 1);
  button.ariaLabel = phrase(panel, "input").replace("%s", String(at + 1));
  button.ariaPressed = String(isChosen);
  button.addEventListener("click", () => {
    choose(at);
    panel.querySelector<HTMLElement>("[data-input-list] [aria-pressed=true]")?.focus();
  });
  return button;
}

function show(panel: HTMLElement, view: EditorView, faults: readonly Element[]): void {
  const list = panel.querySelector<HTMLElement>("[data-input-faults]");
  if (!list) return;
  list.replaceChildren(...faults.map((fault) => document.importNode(fault, true)));
  list.hidden = faults.length === 0;
  showMarks(view, marks(panel));
  if (faults.length) reveal(panel);
}

// Says that the server will refuse a text of so many bytes.
function warn(panel: HTMLElement, text: string): void {
  const most = panel.querySelector<HTMLElement>("[data-input-most]");
  const words = most?.querySelector("span");
  if (!most || !words) return;
  const bytes = new TextEncoder().encode(text).length;
  most.dataset["words"] ??= words.textContent ?? "";
  words.textContent = most.dataset["words"].replace("%s", String(bytes));
  most.hidden = bytes <= Number(most.dataset["inputMost"]);
}

// The list shows the messages.
function marks(panel: HTMLElement): Mark[] {
  const lines = [...panel.querySelectorAll<HTMLElement>("[data-input-faults] li")].map((one) => Number(one.dataset["line"]));
  return lines.map((line) => ({ line, words: "" }));
}

function read(key: string): Kept | null {
  try {
    const kept = JSON.parse(recall(key) ?? "null") as Partial<Kept & { text: string }> | null;
    const texts = kept?.texts ?? (kept?.text === undefined ? [] : [kept.text]); // earlier pages kept one text
    if (!texts.length || !texts.every((text) => typeof text === "string")) return null;
    return { texts: texts.slice(0, MOST), at: Math.min(Math.max(Number(kept?.at) || 0, 0), texts.length - 1) };
  } catch {
    return null;
  }
}
