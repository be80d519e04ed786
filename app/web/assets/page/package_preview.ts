// The student view beside the package editor, in a frame without scripts. The button opens and closes it.
import { keep, recall } from "./memory";

const KEY = "package-preview";
const WIDE = "(min-width: 1100px)";

export class PackagePreview {
  private readonly frame: HTMLIFrameElement | null;
  private readonly button: HTMLButtonElement | null;

  constructor(private readonly place: HTMLElement, form: HTMLFormElement, whenOpened: () => void) {
    this.frame = place.querySelector("iframe");
    this.button = form.querySelector("button[data-preview]");
    this.button?.addEventListener("click", (event) => {
      event.preventDefault();
      this.show(!this.isOpen);
      keep(KEY, this.isOpen ? "open" : "closed");
      if (this.isOpen) whenOpened();
    });
    this.show((recall(KEY) ?? (matchMedia(WIDE).matches ? "open" : "closed")) === "open");
  }

  get isOpen(): boolean {
    return !this.place.hasAttribute("hidden");
  }

  // Replaces the content and not the document, so that the frame stays where it is scrolled to.
  write(html: string): void {
    const inside = this.frame?.contentDocument?.querySelector("body.draft");
    if (!this.frame || html === "") return;
    if (!inside) this.frame.srcdoc = html;
    else inside.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  }

  private show(isOpen: boolean): void {
    this.place.hidden = !isOpen;
    this.place.parentElement?.classList.toggle("has-preview", isOpen);
    if (this.button) this.button.ariaExpanded = String(isOpen);
  }
}
