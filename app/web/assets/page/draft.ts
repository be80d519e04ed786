// Saves the code: immediately in this browser, and after a pause on the server if the user is signed in. When the page
// opens, an unconfirmed draft replaces the server's, and the server keeps the replaced one.
import { undo } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";
import { replaceAll } from "../editor/mount";
import { forget, keep, recall } from "./memory";
import { phrase } from "./phrase";

const PAUSE_MS = 1000;
const AGAIN_MS = 10_000;
const KEEPALIVE_BYTES = 60_000;

interface Kept {
  source: string;
  base: string; // the server's version on which this draft is based
  isSaved: boolean;
}

interface Saved {
  version: string;
  has_other: boolean; // whether the server has a replaced draft
}

export function mountDraft(view: EditorView, area: HTMLTextAreaElement): void {
  const draft = new Draft(view, area);
  draft.resume();
  area.addEventListener("input", () => draft.note());
  area.form?.addEventListener("submit", () => void draft.save());
  window.addEventListener("online", () => void draft.save());
  window.addEventListener("pagehide", () => void draft.save());
  button(area.dataset["reset"])?.addEventListener("click", () => draft.reset());
  button(area.dataset["undo"])?.addEventListener("click", () => draft.undo());
  offer(draft.other, "open", () => void draft.openOther());
  offer(draft.other, "drop", () => void draft.dropOther());
}

// The page has these buttons hidden, because they do nothing before this script runs.
function offer(place: HTMLElement | null, value: string, act: () => void): void {
  const found = place?.querySelector<HTMLButtonElement>(`[value=${value}]`);
  if (!found) return;
  found.addEventListener("click", act);
  found.hidden = false;
}

class Draft {
  readonly other: HTMLElement | null;
  private readonly address: string; // empty for visitors
  private readonly key: string;
  private readonly starter: string;
  private base: string;
  private isSaved = true;
  private isSaving = false;
  private timer = 0;

  constructor(
    private readonly view: EditorView,
    private readonly area: HTMLTextAreaElement,
  ) {
    this.other = document.getElementById(area.dataset["other"] ?? "");
    this.address = area.dataset["draft"] ?? "";
    this.key = area.dataset["draftKey"] ?? "";
    this.starter = template(area.dataset["starter"]);
    this.base = area.dataset["version"] ?? "";
  }

  // Restores a draft that the server lacks: typed before signing in, or while the server was unreachable.
  resume(): void {
    const isGiven = this.area.hasAttribute("data-given"); // the page opened an earlier submission
    const anonymous = this.area.dataset["draftAnonymous"] ?? "";
    const before = this.address ? read(anonymous) : null;
    const own = read(this.key);
    const kept = before ?? (own?.isSaved && this.base ? null : own);
    if (isGiven || before) this.base = "";
    else if (kept) this.base = kept.base;
    this.say("");
    if (isGiven || !kept || kept.source === this.area.value) return;
    replaceAll(this.view, kept.source);
    this.note();
    if (before) forget(anonymous);
    this.say(phrase(this.area, "from-browser"));
  }

  note(): void {
    this.isSaved = false;
    const back = button(this.area.dataset["undo"]);
    if (back) back.hidden = true;
    const isKept = this.remember();
    this.say(isKept ? phrase(this.area, "kept") : "");
    if (this.address) this.saveIn(PAUSE_MS);
  }

  async save(): Promise<void> {
    if (!this.address || this.isSaved) return;
    if (this.isSaving) {
      this.saveIn(PAUSE_MS); // the previous version is still being saved
      return;
    }
    clearTimeout(this.timer);
    const source = this.area.value;
    this.isSaved = true;
    this.isSaving = true;
    const saved = await put(this.address, source, this.base);
    this.isSaving = false;
    if (saved === null) {
      this.isSaved = false;
      this.say(phrase(this.area, "away"));
      this.saveIn(AGAIN_MS);
      return;
    }
    this.base = saved.version;
    this.isSaved = this.isSaved && this.area.value === source;
    this.remember();
    if (this.isSaved) this.say(phrase(this.area, "saved"));
    else this.saveIn(PAUSE_MS);
    if (this.other) this.other.hidden = !saved.has_other;
  }

  reset(): void {
    this.replaceBy(this.starter, phrase(this.area, "starter"));
  }

  undo(): void {
    undo(this.view);
    this.view.focus();
  }

  // A button undoes this, because phones have no keys for it.
  private replaceBy(source: string, words: string): void {
    replaceAll(this.view, source);
    this.view.focus();
    this.say(words);
    const back = button(this.area.dataset["undo"]);
    if (back) back.hidden = false;
  }

  // Swaps the two drafts.
  async openOther(): Promise<void> {
    const answer = await fetch(`${this.address}/other`).catch(() => null);
    const source = answer?.ok ? ((await answer.json()) as { source: string | null }).source : null;
    if (source === null) return;
    await this.save();
    this.base = "";
    this.replaceBy(source, phrase(this.area, "other"));
  }

  async dropOther(): Promise<void> {
    const answer = await fetch(`${this.address}/other`, { method: "DELETE" }).catch(() => null);
    if (answer?.ok && this.other) this.other.hidden = true;
    this.view.focus();
  }

  private saveIn(ms: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.save(), ms);
  }

  private remember(): boolean {
    const kept: Kept = { source: this.area.value, base: this.base, isSaved: this.isSaved };
    return keep(this.key, JSON.stringify(kept));
  }

  private say(words: string): void {
    const place = document.getElementById(this.area.dataset["draftStatus"] ?? "");
    if (place) place.textContent = words;
    const reset = document.getElementById(this.area.dataset["resetAsk"] ?? "");
    if (reset) reset.hidden = this.area.value === this.starter;
  }
}

async function put(address: string, source: string, base: string): Promise<Saved | null> {
  const body = JSON.stringify({ source, base: base || null });
  try {
    const keepalive = body.length < KEEPALIVE_BYTES; // the request survives leaving the page
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(address, { method: "PUT", body, headers, keepalive });
    return answer.ok ? ((await answer.json()) as Saved) : null;
  } catch {
    return null;
  }
}

function read(key: string): Kept | null {
  const text = key ? recall(key) : null;
  try {
    const kept = text === null ? null : (JSON.parse(text) as Partial<Kept>);
    return typeof kept?.source === "string" ? { base: "", isSaved: false, ...kept, source: kept.source } : null;
  } catch {
    return null;
  }
}

function template(id: string | undefined): string {
  const found = document.getElementById(id ?? "");
  return found instanceof HTMLTemplateElement ? (found.content.textContent ?? "") : "";
}

function button(id: string | undefined): HTMLButtonElement | null {
  const found = document.getElementById(id ?? "");
  return found instanceof HTMLButtonElement ? found : null;
}
