// The page on which authors write a package: the numbered lines under each text grow with it, and what is wrong is
// asked for while they type and shown at its line.
interface Fault {
  file: string;
  line: number;
  text: string;
}

const PAUSE_MS = 600;

function mount(form: HTMLFormElement): void {
  const files = [...form.querySelectorAll<HTMLElement>("[data-file]")].map((place) => new PackageFile(place));
  const summary = form.querySelector<HTMLElement>("#summary");
  let timer = 0;
  let asking = new AbortController();
  let isChanged = false;

  const check = async () => {
    asking.abort();
    asking = new AbortController();
    const answer = await ask(form, asking.signal);
    if (answer === null) return;
    if (summary) summary.textContent = answer.summary;
    for (const file of files) file.mark(answer.faults.filter((fault) => fault.file === file.path));
    showOther(form, answer.faults.filter((fault) => !files.some((file) => file.path === fault.file)));
  };
  form.addEventListener("input", (event) => {
    isChanged = true;
    for (const file of files) if (file.place.contains(event.target as Node)) file.draw();
    clearTimeout(timer);
    timer = window.setTimeout(check, PAUSE_MS);
  });
  form.addEventListener("submit", () => { isChanged = false; });
  window.addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });
}

async function ask(form: HTMLFormElement, signal: AbortSignal): Promise<{ faults: Fault[]; summary: string } | null> {
  const body = new FormData(form);
  body.delete("upload"); // what is chosen and not yet added
  try {
    const response = await fetch(form.dataset["package"] ?? "", { method: "POST", body, signal });
    return response.ok ? await response.json() : null;
  } catch {
    return null; // a later change asks again
  }
}

function showOther(form: HTMLFormElement, faults: Fault[]): void {
  const items = faults.map((fault) => {
    const item = document.createElement("li");
    const name = document.createElement("strong");
    name.textContent = fault.file;
    item.append(name, ` ${fault.text}`);
    return item;
  });
  form.querySelector("[data-other]")?.replaceChildren(...items);
}

class PackageFile {
  private readonly area: HTMLTextAreaElement;
  private readonly lines: HTMLElement;
  private readonly name: HTMLInputElement;
  private faults: Fault[] = [];

  constructor(readonly place: HTMLElement) {
    this.area = place.querySelector("textarea")!;
    this.lines = place.querySelector("[data-lines]")!;
    this.name = place.querySelector<HTMLInputElement>("input[name=path]")!;
    place.querySelector("[data-faults]")?.addEventListener("click", (event) => {
      const link = (event.target as Element).closest<HTMLElement>("a[data-line]");
      if (!link) return;
      event.preventDefault();
      this.goTo(Number(link.dataset["line"]));
    });
    this.faults = [...place.querySelectorAll<HTMLElement>("[data-faults] a[data-line]")].map((link) => ({
      file: this.path,
      line: Number(link.dataset["line"]),
      text: link.parentElement?.querySelector("span")?.textContent ?? "",
    }));
  }

  get path(): string {
    return this.name.value.trim();
  }

  mark(faults: Fault[]): void {
    this.faults = faults;
    const count = this.place.querySelector<HTMLElement>("[data-count]");
    if (count) {
      count.textContent = String(faults.length);
      count.hidden = faults.length === 0;
    }
    if (faults.length > 0) this.area.setAttribute("aria-invalid", "true");
    else this.area.removeAttribute("aria-invalid");
    this.place.querySelector("[data-faults]")?.replaceChildren(...faults.map(item));
    this.draw();
  }

  draw(): void {
    const said = new Map(this.faults.map((fault) => [fault.line, fault.text]));
    const rows = this.area.value.split("\n").map((text, index) => row(text, said.get(index + 1)));
    this.lines.replaceChildren(...rows);
  }

  private goTo(line: number): void {
    const before = this.area.value.split("\n").slice(0, line - 1);
    const start = before.reduce((sum, text) => sum + text.length + 1, 0);
    const end = this.area.value.indexOf("\n", start);
    this.area.focus({ preventScroll: true });
    this.area.setSelectionRange(start, end < 0 ? this.area.value.length : end);
    this.lines.children[line - 1]?.scrollIntoView({ block: "center" });
  }
}

function row(text: string, said: string | undefined): HTMLElement {
  const line = document.createElement("li");
  const under = document.createElement("span");
  under.textContent = text;
  line.append(under);
  if (said !== undefined) {
    const words = document.createElement("small");
    words.textContent = said;
    line.className = "bad";
    line.append(words);
  }
  return line;
}

function item(fault: Fault): HTMLElement {
  const place = document.createElement("li");
  const words = document.createElement("span");
  words.textContent = fault.text;
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
