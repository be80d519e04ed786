// Copies the element that a button names. Without clipboard access the button stays hidden, and one click selects the
// whole text.
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
