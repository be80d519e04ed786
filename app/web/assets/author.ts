// The package editor: checks the files while the author types, shows faults at their lines and the student view beside.
import { pythonLanguage } from "@codemirror/lang-python";
import { yamlLanguage } from "@codemirror/lang-yaml";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { appendSentence } from "./editor/code_span";
import { goToLine, showMarks } from "./editor/mark";
import { mountEditor } from "./editor/mount";
import { mountCopy, nameCopy } from "./page/package_copy";
import { PackagePreview } from "./page/package_preview";
import { phrase } from "./page/phrase";

interface Fault {
  file: string;
  line: number;
  text: string;
}

// `other`: HTML about a revision that would be replaced, or empty. `preview`: the student view, or empty.
interface Answer {
  faults: Fault[];
  summary: string;
  other: string;
  preview: string;
}

// Why there is no answer: names of phrases.
type Trouble = "away" | "signed-out" | "stale";

const PAUSE_MS = 600;

function mount(form: HTMLFormElement): void {
  const files = [...form.querySelectorAll<HTMLDetailsElement>("details[data-file]")].map((place) => new PackageFile(place));
  const summary = form.querySelector<HTMLElement>("#summary");
  let timer = 0;
  let asking = new AbortController();
  let isChanged = false;
  let isSafe = false;
  const keepCopy = mountCopy(form);
  const place = document.querySelector<HTMLElement>("[data-package-preview]");
  const preview = place && new PackagePreview(place, form, () => void check());

  const check = async (): Promise<boolean> => {
    asking.abort();
    asking = new AbortController();
    const answer = await ask(form, asking.signal, preview?.isOpen ?? false);
    if (answer === "stale") return false;
    if (typeof answer === "string") {
      if (summary) summary.textContent = phrase(form, answer);
      return false;
    }
    if (summary) summary.textContent = answer.summary;
    preview?.write(answer.preview);
    showOtherRevision(form, answer.other);
    for (const file of files) file.mark(answer.faults.filter((fault) => fault.file === file.path));
    showOther(form, answer.faults.filter((fault) => !files.some((file) => file.path === fault.file)));
    return true;
  };
  form.querySelector(".to-fix")?.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a[data-go]");
    const file = link && files[Number(link.dataset["go"])];
    if (!file) return;
    event.preventDefault();
    file.goTo(Number(link.dataset["line"]));
  });
  form.addEventListener("input", () => {
    isChanged = true;
    clearTimeout(timer);
    timer = window.setTimeout(() => {
      keepCopy();
      void check();
    }, PAUSE_MS);
  });
  // Text typed before this script ran, or restored by the browser after a reload.
  const isTyped = [...form.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
  if (isTyped || preview?.isOpen) void check();
  // The form is sent only if the server answers and the author is signed in: a page of an error would lose the text.
  form.addEventListener("submit", async (event) => {
    if (isSafe) return;
    event.preventDefault();
    clearTimeout(timer);
    if (isChanged) keepCopy();
    if (!(await check())) return;
    nameCopy(form);
    isSafe = true;
    isChanged = false;
    form.requestSubmit(event.submitter);
    isSafe = false;
  });
  window.addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
}

async function ask(form: HTMLFormElement, signal: AbortSignal, isShown: boolean): Promise<Answer | Trouble> {
  const body = new FormData(form);
  body.delete("upload"); // a chosen file that is not added yet
  if (isShown) body.set("action", "preview");
  try {
    const response = await fetch(form.dataset["package"] ?? "", { method: "POST", body, signal });
    if (response.redirected) return "signed-out";
    return response.ok ? await response.json() : "away";
  } catch {
    return signal.aborted ? "stale" : "away"; // the next change checks again
  }
}

// Unchanged HTML is not replaced, because it may have the focus. The server repeats the checkbox's state.
function showOtherRevision(form: HTMLFormElement, html: string): void {
  const place = form.querySelector<HTMLElement>("[data-other-revision]");
  const words = html.replace(" checked", "");
  if (!place || place.dataset["otherRevision"] === words) return;
  place.dataset["otherRevision"] = words;
  place.innerHTML = html;
}

function showOther(form: HTMLFormElement, faults: Fault[]): void {
  const items = faults.map((fault) => {
    const item = document.createElement("li");
    const name = document.createElement("strong");
    name.textContent = fault.file;
    item.append(name, " ");
    appendSentence(item, fault.text);
    return item;
  });
  form.querySelector("[data-other]")?.replaceChildren(...items);
}

class PackageFile {
  private readonly area: HTMLTextAreaElement;
  private readonly name: HTMLInputElement;
  private view: EditorView | null = null;
  private faults: Fault[];

  constructor(readonly place: HTMLDetailsElement) {
    this.area = place.querySelector("textarea")!;
    this.name = place.querySelector<HTMLInputElement>("input[name=path]")!;
    this.faults = [...place.querySelectorAll<HTMLElement>("[data-faults] a[data-line]")].map((link) => ({
      file: this.path,
      line: Number(link.dataset["line"]),
      text: link.parentElement?.querySelector("span")?.textContent ?? "",
    }));
    place.querySelector("[data-faults]")?.addEventListener("click", (event) => {
      const link = (event.target as Element).closest<HTMLElement>("a[data-line]");
      if (!link || !this.view) return;
      event.preventDefault();
      goToLine(this.view, Number(link.dataset["line"]));
    });
    place.addEventListener("toggle", () => this.open());
    this.open();
  }

  get path(): string {
    return this.name.value.trim();
  }

  goTo(line: number): void {
    this.place.open = true;
    this.open();
    this.place.scrollIntoView();
    if (this.view) goToLine(this.view, line);
  }

  mark(faults: Fault[]): void {
    this.faults = faults;
    const count = this.place.querySelector<HTMLElement>("[data-count]");
    if (count) {
      count.textContent = String(faults.length);
      count.hidden = faults.length === 0;
    }
    this.place.querySelector("[data-faults]")?.replaceChildren(...faults.map(item));
    this.show();
  }

  // A package may have many files, so each gets its editor when it is opened.
  private open(): void {
    if (!this.place.open || this.view) return;
    this.place.querySelector<HTMLElement>("[data-lines]")?.remove();
    this.view = mountEditor(this.area, languageOf(this.path));
    this.show();
  }

  private show(): void {
    if (this.view) showMarks(this.view, this.faults.map((fault) => ({ line: fault.line, words: fault.text })));
  }
}

function languageOf(path: string): Extension {
  if (path.endsWith(".py")) return pythonLanguage;
  return path.endsWith(".yaml") ? yamlLanguage : [];
}

function item(fault: Fault): HTMLElement {
  const place = document.createElement("li");
  const words = document.createElement("span");
  appendSentence(words, fault.text);
  if (fault.line) {
    const link = document.createElement("a");
    link.href = "#";
    link.dataset["line"] = String(fault.line);
    link.textContent = `Line ${fault.line}`;
    place.append(link, " ");
  }
  place.append(words);
  return place;
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-package]")) mount(form);
