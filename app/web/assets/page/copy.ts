// Copies what a button names. Where the browser has no clipboard for us, the button stays hidden, and the text, which is
// selected as a whole by one click, is copied by hand.
import { phrase } from "./phrase";

export function offerCopies(root: ParentNode): void {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll<HTMLButtonElement>("button[data-copy]")) {
    const source = document.querySelector(button.dataset["copy"] ?? "");
    button.hidden = source === null;
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(source?.textContent ?? "").then(() => {
        button.textContent = phrase(button, "copied");
      });
    });
  }
}
