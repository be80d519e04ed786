// Saves the note while the user types: immediately in this browser, and after a pause on the server. If the note was
// changed elsewhere, nothing is overwritten: the page shows the other text, and the user chooses.
import { forget, keep, recall } from "./memory";
import { phrase } from "./phrase";

const PAUSE_MS = 1000;
const AGAIN_MS = 10_000;
const KEEPALIVE_BYTES = 60_000;

interface Kept {
  text: string; // not yet on the server
  base: string; // the server's version on which it is based; empty without a note
}

interface Answer {
  version: string | null;
  text?: string; // for a conflict: what the server has
}

export function mountNote(form: HTMLFormElement): void {
  const area = form.querySelector("textarea");
  if (!area) return;
  const note = new Note(form, area);
  note.resume();
  area.addEventListener("input", () => note.changed());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void note.save();
  });
  form.addEventListener("click", (event) => note.choose((event.target as Element).closest("button")?.value ?? ""));
  window.addEventListener("online", () => void note.save());
  window.addEventListener("pagehide", () => void note.save());
  const button = form.querySelector<HTMLElement>("[data-save]");
  if (button) button.hidden = true; // saving needs no button
}

class Note {
  private base: string;
  private other: Answer | null = null; // the conflict that the user has not resolved
  private isSaved = true;
  private isSaving = false;
  private timer = 0;
  private readonly key: string;

  constructor(
    private readonly form: HTMLFormElement,
    private readonly area: HTMLTextAreaElement,
  ) {
    this.base = form.dataset["version"] ?? "";
    this.key = form.dataset["key"] ?? "";
  }

  // Restores a text that the server lacks. It keeps its base, so a change elsewhere is a conflict.
  resume(): void {
    const kept = read(this.key);
    if (kept === null || kept.text === this.area.value) {
      forget(this.key);
      return;
    }
    this.area.value = kept.text;
    this.base = kept.base;
    const panel = this.form.closest("details");
    if (panel) panel.open = true;
    this.changed();
    this.say("from-browser");
  }

  changed(): void {
    this.isSaved = false;
    this.remember();
    this.say("kept");
    this.saveIn(PAUSE_MS);
  }

  async save(): Promise<void> {
    if (this.isSaved || this.other) return;
    if (this.isSaving) {
      this.saveIn(PAUSE_MS);
      return;
    }
    clearTimeout(this.timer);
    const text = this.area.value;
    this.isSaving = true;
    const answer = await put(this.form.action, text, this.base);
    this.isSaving = false;
    if (answer?.status === 409) this.tell((await answer.json()) as Answer);
    else if (answer?.ok) this.confirm(text, (await answer.json()) as Answer);
    else if (answer?.status === 422) this.say("long");
    else {
      this.say("away");
      this.saveIn(AGAIN_MS);
    }
  }

  choose(value: string): void {
    const other = this.other;
    if (!other || !["both", "mine", "other"].includes(value)) return;
    const theirs = other.text ?? "";
    if (value === "both") this.area.value = `${this.area.value}\n\n${theirs}`;
    if (value === "other") this.area.value = theirs;
    this.base = other.version ?? "";
    this.other = null;
    this.show(null);
    this.area.focus();
    this.changed();
    void this.save();
  }

  private confirm(text: string, answer: Answer): void {
    this.base = answer.version ?? "";
    this.isSaved = this.area.value === text;
    if (this.isSaved) {
      forget(this.key);
      this.say("saved");
    } else {
      this.remember();
      this.saveIn(PAUSE_MS);
    }
  }

  private tell(other: Answer): void {
    this.other = other;
    this.show(other);
    this.say("kept");
  }

  private show(other: Answer | null): void {
    const place = this.form.querySelector<HTMLElement>("[data-conflict]");
    const text = this.form.querySelector<HTMLElement>("[data-other]");
    if (!place || !text) return;
    text.textContent = other?.text ?? "";
    place.hidden = other === null;
  }

  private saveIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.save(), ms);
  }

  private remember(): void {
    const kept: Kept = { text: this.area.value, base: this.base };
    keep(this.key, JSON.stringify(kept));
  }

  private say(name: string): void {
    const place = this.form.querySelector<HTMLElement>("[data-status]");
    if (place) place.textContent = phrase(this.form, name);
  }
}

async function put(address: string, text: string, base: string): Promise<Response | null> {
  const body = JSON.stringify({ text, base: base || null });
  const headers = { "Content-Type": "application/json" };
  const keepalive = body.length < KEEPALIVE_BYTES; // the request survives leaving the page
  return fetch(address, { method: "PUT", body, headers, keepalive }).catch(() => null);
}

function read(key: string): Kept | null {
  try {
    const kept = JSON.parse(recall(key) ?? "null") as Partial<Kept> | null;
    return typeof kept?.text === "string" ? { base: "", ...kept, text: kept.text } : null;
  } catch {
    return null;
  }
}
