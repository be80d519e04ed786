// Keeps what is typed: at once in this browser, and soon after on the server for whoever is signed in. What the server
// has not confirmed wins over what it holds when the page is opened again; the server keeps what was overtaken.
import type { EditorView } from "@codemirror/view";
import { replaceAll } from "../editor/mount";
import { forget, keep, recall } from "./memory";

const PAUSE_MS = 1000;
const AGAIN_MS = 10_000;
const KEEPALIVE_BYTES = 60_000;

interface Kept {
  source: string;
  base: string; // the version on the server that this one follows
  isSaved: boolean;
}

interface Saved {
  version: string;
  other: string | null; // when the draft was saved that this one overtook
}

export function mountDraft(view: EditorView, area: HTMLTextAreaElement): void {
  const draft = new Draft(view, area);
  draft.resume();
  area.addEventListener("input", () => draft.note());
  area.form?.addEventListener("submit", () => void draft.save());
  window.addEventListener("online", () => void draft.save());
  window.addEventListener("pagehide", () => void draft.save());
  button(area.dataset["reset"])?.addEventListener("click", () => draft.reset());
  button(area.dataset["other"])?.addEventListener("click", () => void draft.showOther());
}

class Draft {
  private readonly address: string; // empty for somebody who is not signed in
  private readonly key: string;
  private readonly starter: string;
  private base: string;
  private isSaved = true;
  private timer = 0;

  constructor(
    private readonly view: EditorView,
    private readonly area: HTMLTextAreaElement,
  ) {
    this.address = area.dataset["draft"] ?? "";
    this.key = area.dataset["draftKey"] ?? "";
    this.starter = template(area.dataset["starter"]);
    this.base = area.dataset["version"] ?? "";
  }

  // What this browser holds and the server does not: typed before signing in, or while the server was away.
  resume(): void {
    const anonymous = this.area.dataset["draftAnonymous"] ?? "";
    const before = this.address ? read(anonymous) : null;
    const kept = before ?? read(this.key);
    if (this.address) forget(anonymous);
    this.say("");
    if (this.area.hasAttribute("data-given")) this.base = "";
    else if (kept && !kept.isSaved && kept.source !== this.area.value) {
      this.base = before ? "" : kept.base;
      replaceAll(this.view, kept.source);
      this.say("Your draft from this browser");
    }
  }

  note(): void {
    this.isSaved = false;
    const isKept = this.remember();
    this.say(isKept ? "Draft kept in this browser" : "");
    if (this.address) this.saveIn(PAUSE_MS);
  }

  async save(): Promise<void> {
    if (!this.address || this.isSaved) return;
    clearTimeout(this.timer);
    const source = this.area.value;
    this.isSaved = true;
    const saved = await put(this.address, source, this.base);
    if (saved === null) {
      this.isSaved = false;
      this.say("Draft kept in this browser; it is not on the server yet");
      this.saveIn(AGAIN_MS);
      return;
    }
    this.base = saved.version;
    this.isSaved = this.isSaved && this.area.value === source;
    this.remember();
    if (this.isSaved) this.say("Draft saved");
    else this.saveIn(PAUSE_MS);
    if (saved.other) this.offerOther();
  }

  reset(): void {
    replaceAll(this.view, this.starter);
    this.view.focus();
    this.say("Back to the starter; undo brings your code back");
  }

  async showOther(): Promise<void> {
    const answer = await fetch(this.address).catch(() => null);
    const other = answer?.ok ? ((await answer.json()) as { other: string | null }).other : null;
    if (other === null) return;
    replaceAll(this.view, other);
    this.view.focus();
    this.say("The other draft; undo brings this one back");
  }

  private offerOther(): void {
    const place = document.getElementById(this.area.dataset["otherNotice"] ?? "");
    if (place) place.hidden = false;
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
    const reset = button(this.area.dataset["reset"]);
    if (reset) reset.hidden = this.area.value === this.starter;
  }
}

async function put(address: string, source: string, base: string): Promise<Saved | null> {
  const body = JSON.stringify({ source, base });
  try {
    const keepalive = body.length < KEEPALIVE_BYTES; // so that it arrives although the page is left
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
