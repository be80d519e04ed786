// The student view beside the package editor, in a frame without scripts. The button opens and closes it. The style sheet
// opens it on wide screens, so that nothing moves when this script runs.
import { phrase } from "./phrase";

export class PackagePreview {
  private readonly frame: HTMLIFrameElement | null;
  private readonly button: HTMLButtonElement | null;
  private readonly name: string;

  constructor(private readonly place: HTMLElement, form: HTMLFormElement, whenOpened: () => void) {
    this.frame = place.querySelector("iframe");
    this.button = form.querySelector("button[data-preview]");
    this.name = this.button?.textContent ?? "";
    this.button?.addEventListener("click", (event) => {
      event.preventDefault();
      const isOpen = !this.isOpen;
      place.parentElement?.classList.toggle("has-preview", isOpen);
      place.parentElement?.classList.toggle("no-preview", !isOpen);
      this.tell();
      if (isOpen) whenOpened();
    });
    this.tell();
  }

  get isOpen(): boolean {
    return getComputedStyle(this.place).display !== "none";
  }

  // Replaces the content and not the document, so that the frame stays where it is scrolled to.
  write(html: string): void {
    const inside = this.frame?.contentDocument?.querySelector("body.draft");
    if (!this.frame || html === "") return;
    if (!inside) this.frame.srcdoc = html;
    else inside.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  }

  private tell(): void {
    if (!this.button) return;
    this.button.ariaExpanded = String(this.isOpen);
    this.button.textContent = this.isOpen ? phrase(this.button, "close") : this.name;
  }
}
