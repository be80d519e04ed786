// The package editor: checks the files while the author types, shows faults at their lines and the student view beside.
import { pythonLanguage } from "@codemirror/lang-python";
import { yamlLanguage } from "@codemirror/lang-yaml";
import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { appendSentence } from "./editor/code_span";
import { goToLine, showMarks } from "./editor/mark";
import { mountEditor } from "./editor/mount";
import { markSent, mountCopy } from "./page/package_copy";
import { PackagePreview } from "./page/package_preview";
import { phrase } from "./page/phrase";

interface Fault {
  file: string;
  line: number;
  text: string;
}

// `other`: HTML about a revision that would be replaced, or empty. `preview`: the student view, or empty. `digest`: of the
// package, if it is valid.
interface Answer {
  faults: Fault[];
  summary: string;
  other: string;
  preview: string;
  digest: string;
}

// Why there is no answer: names of phrases.
type Trouble = "away" | "signed-out" | "stale";

const PAUSE_MS = 600;
const MOST_LISTED = 3; // as on the page of the server

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

  const check = async (): Promise<string | null> => {
    asking.abort();
    asking = new AbortController();
    const answer = await ask(form, asking.signal, preview?.isOpen ?? false);
    if (answer === "stale") return null;
    if (typeof answer === "string") {
      if (summary) summary.textContent = phrase(form, answer);
      return null;
    }
    if (summary) summary.textContent = answer.summary;
    preview?.write(answer.preview);
    showOtherRevision(form, answer.other);
    for (const file of files) file.mark(answer.faults.filter((fault) => fault.file === file.path));
    listFaults(form, files, answer.faults);
    return answer.digest;
  };
  const change = (): void => {
    isChanged = true;
    keepCopy();
    void check();
  };
  for (const file of files) file.onRemoved = change;
  form.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a[data-go]");
    const file = link && files[Number(link.dataset["go"])];
    if (!file) return;
    event.preventDefault();
    file.goTo(Number(link.dataset["line"]));
  });
  form.addEventListener("input", () => {
    isChanged = true;
    clearTimeout(timer);
    timer = window.setTimeout(change, PAUSE_MS);
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
    const digest = await check();
    if (digest === null) return;
    if (digest !== "") markSent(form, digest);
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

// Each fault leads to its line.
function listFaults(form: HTMLFormElement, files: PackageFile[], faults: Fault[]): void {
  const items = faults.slice(0, MOST_LISTED).map((fault) => item(fault, files.findIndex((file) => file.path === fault.file)));
  const left = faults.length - items.length;
  if (left > 0) {
    const more = document.createElement("li");
    more.textContent = phrase(form, "more").replace("…", String(left));
    items.push(more);
  }
  form.querySelector("[data-faults]")?.replaceChildren(...items);
}

class PackageFile {
  private readonly area: HTMLTextAreaElement;
  private readonly name: HTMLInputElement;
  private view: EditorView | null = null;
  private faults: Fault[] = [];
  onRemoved = (): void => {};

  constructor(readonly place: HTMLDetailsElement) {
    this.area = place.querySelector("textarea")!;
    this.name = place.querySelector<HTMLInputElement>("input[name=path]")!;
    this.faults = [...place.querySelectorAll<HTMLElement>("[data-lines] li.bad")].map((line) => ({
      file: this.path,
      line: [...(line.parentElement?.children ?? [])].indexOf(line) + 1,
      text: line.querySelector("small")?.textContent ?? "",
    }));
    place.querySelector("[data-remove]")?.addEventListener("click", (event) => {
      event.preventDefault();
      this.remove();
    });
    place.addEventListener("toggle", () => this.open());
    this.open();
    if (place.dataset["at"]) this.goTo(Number(place.dataset["at"]));
  }

  // A removed file keeps its text, so that it can come back. Disabled fields are not sent.
  get path(): string {
    return this.name.disabled ? "" : this.name.value.trim();
  }

  private remove(): void {
    const words = document.createElement("p");
    const undo = document.createElement("button");
    const [path, form] = [this.path, this.place.closest("form")!];
    undo.type = "button";
    undo.className = "link";
    undo.textContent = phrase(form, "undo");
    undo.addEventListener("click", () => {
      this.set(false);
      words.remove();
    });
    words.className = "removed-file muted";
    words.append(Object.assign(document.createElement("code"), { textContent: path }), ` ${phrase(form, "removed")} `, undo);
    this.place.after(words);
    this.set(true);
    undo.focus();
  }

  private set(isRemoved: boolean): void {
    this.place.hidden = this.name.disabled = this.area.disabled = isRemoved;
    this.onRemoved();
  }

  goTo(line: number): void {
    this.place.open = true;
    this.open();
    this.place.scrollIntoView({ block: "nearest" });
    // An editor that was just shown knows the height of its lines a frame later.
    requestAnimationFrame(() => requestAnimationFrame(() => { if (this.view) goToLine(this.view, line); }));
  }

  mark(faults: Fault[]): void {
    this.faults = faults;
    const count = this.place.querySelector<HTMLElement>("[data-count]");
    if (count) {
      count.textContent = String(faults.length);
      count.hidden = faults.length === 0;
    }
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

// `index`: of the fault's file, or -1 if the package lacks it.
function item(fault: Fault, index: number): HTMLElement {
  const place = document.createElement("li");
  const words = document.createElement("span");
  const name = document.createElement(index < 0 ? "strong" : "a");
  name.textContent = fault.line ? `${fault.file}:${fault.line}` : fault.file;
  if (name instanceof HTMLAnchorElement) {
    name.href = `#f${index}-L${fault.line || 1}`;
    name.dataset["go"] = String(index);
    name.dataset["line"] = String(fault.line || 1);
  }
  appendSentence(words, fault.text);
  place.append(name, " ", words);
  return place;
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-package]")) mount(form);
