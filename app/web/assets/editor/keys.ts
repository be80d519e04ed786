// Vim or Emacs key bindings, loaded on demand and stored in this browser.
import { Compartment, type Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { keep, recall } from "../page/memory";

const MEMORY = "editor-keys";
const chosen = new Compartment();

export const chosenKeys: Extension = chosen.of([]);

export function mountKeys(view: EditorView, choice: HTMLSelectElement): void {
  const use = async () => view.dispatch({ effects: chosen.reconfigure(await load(choice.value)) });
  const remembered = recall(MEMORY);
  if ([...choice.options].some((option) => option.value === remembered)) choice.value = remembered ?? "";
  if (choice.value) void use();
  choice.addEventListener("change", () => {
    keep(MEMORY, choice.value);
    void use();
  });
}

/** Vim also needs an Escape that closes something. */
export function isVim(): boolean {
  return recall(MEMORY) === "vim";
}

/** The formatter is loaded with its first use. */
export function mountFormat(view: EditorView, area: HTMLTextAreaElement, button: HTMLButtonElement): void {
  const place = document.getElementById(button.dataset["status"] ?? "");
  button.hidden = false;
  button.addEventListener("click", async () => {
    if (place) void (await import("./format")).formatCode(view, area, button, place);
  });
}

async function load(name: string): Promise<Extension> {
  if (name === "vim") return (await import("@replit/codemirror-vim")).vim({ status: true });
  if (name === "emacs") return (await import("@replit/codemirror-emacs")).emacs();
  return [];
}
