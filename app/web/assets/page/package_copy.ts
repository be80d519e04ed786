// A copy of a package's files in this browser, so that a closed tab or an ended session loses no text.
import { forget, keep, recall } from "./memory";

// What the form sends, but for the buttons and a chosen file.
type Fields = [string, string][];
// Begins a copy that was sent. The page of its verification, where it is stored, then forgets it.
const SENT = "sent ";

export function mountCopy(form: HTMLFormElement): () => void {
  const place = form.querySelector<HTMLElement>("[data-copy]");
  const stored = recall(keyOf(form))?.replace(SENT, "") ?? null;
  if (!place || stored === null) return () => keep(keyOf(form), JSON.stringify(read(form)));
  if (sameFiles(JSON.parse(stored) as Fields, read(form))) forget(keyOf(form));
  else offer(form, place, JSON.parse(stored) as Fields);
  return () => {
    place.hidden = true;
    keep(keyOf(form), JSON.stringify(read(form)));
  };
}

// The form remembers what it sends, so that a revision of it counts as its own. The copy of a new problem gets its name.
export function markSent(form: HTMLFormElement, digest: string): void {
  const [was, copy] = [keyOf(form), recall(keyOf(form))];
  const [slug, sent] = [form.elements.namedItem("slug"), form.elements.namedItem("sent")];
  if (sent instanceof HTMLInputElement) sent.value = digest;
  if (copy === null || !(slug instanceof HTMLInputElement) || slug.value === "") return;
  const isKept = keep(`${form.dataset["copyKey"]}${slug.value}`, SENT + copy.replace(SENT, ""));
  if (isKept && was.endsWith(":")) forget(was);
}

// On the page of a verification: the server has what was sent. Text that was typed since stays.
export function forgetSent(key: string): void {
  if (recall(key)?.startsWith(SENT)) forget(key);
}

function sameFiles(one: Fields, other: Fields): boolean {
  const sorted = (fields: Fields) => {
    const texts = fields.filter(([name]) => name === "text").map(([, text]) => text.trimEnd());
    return JSON.stringify(fields.filter(([name]) => name === "path").map(([, path], n) => [path, texts[n]]).sort());
  };
  return sorted(one) === sorted(other);
}

function keyOf(form: HTMLFormElement): string {
  const isNew = form.elements.namedItem("is_new") !== null;
  const slug = form.elements.namedItem("slug");
  return `${form.dataset["copyKey"]}${isNew || !(slug instanceof HTMLInputElement) ? "" : slug.value}`;
}

function read(form: HTMLFormElement): Fields {
  const texts = [...new FormData(form)].filter(([name, value]) => typeof value === "string" && ["path", "text"].includes(name));
  return texts.map(([name, value]) => [name, (value as string).replaceAll("\r\n", "\n")]);
}

function offer(form: HTMLFormElement, place: HTMLElement, fields: Fields): void {
  place.hidden = false;
  place.querySelector("[value=open]")?.addEventListener("click", () => open(form, fields));
  place.querySelector("[value=drop]")?.addEventListener("click", () => {
    forget(keyOf(form));
    place.hidden = true;
  });
}

// The server shows the texts as if they had been sent with the button "Check".
function open(form: HTMLFormElement, fields: Fields): void {
  const sent = document.createElement("form");
  sent.method = "post";
  sent.enctype = "multipart/form-data";
  sent.action = form.getAttribute("action") ?? ""; // not form.action, which is a button here
  sent.hidden = true;
  const kept = ["base", "slug", "is_new", "availability", "verification"].flatMap((name) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? [[name, field.value] as [string, string]] : [];
  });
  for (const [name, value] of [...kept, ...fields, ["action", "check"] as [string, string]]) {
    const area = document.createElement("textarea");
    area.name = name;
    area.value = value;
    sent.append(area);
  }
  document.body.append(sent);
  sent.submit();
}
