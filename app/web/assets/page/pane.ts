// On narrow screens, shows one pane of a problem at a time. Without scripts the links jump to the panes.
export function mountPanes(links: HTMLElement): void {
  const whole = links.parentElement;
  const all = [...links.querySelectorAll<HTMLAnchorElement>("a[href^='#']")];
  const show = (link: HTMLAnchorElement | undefined) => {
    if (!link || !whole) return;
    whole.dataset["shown"] = link.hash.slice(1);
    for (const each of all) each.ariaCurrent = each === link ? "true" : null;
  };
  const holding = (part: Element | null) => all.find((link) => partOf(link.hash)?.contains(part));
  for (const link of all) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(link);
      window.scrollTo(0, 0);
    });
  }
  document.addEventListener("reveal", (event) => show(holding(event.target as Element)));
  show((location.hash && holding(partOf(location.hash))) || all[0]);
}

// Shows a part of the page: its pane on narrow screens, and its tab.
export function reveal(part: Element | null): void {
  part?.dispatchEvent(new Event("reveal", { bubbles: true }));
}

export function partOf(hash: string): HTMLElement | null {
  return hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
}

// Links within the page lead to parts that are not shown.
document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>("a[href^='#']:not([role=tab])");
  if (link) reveal(partOf(link.hash));
});
window.addEventListener("hashchange", () => reveal(partOf(location.hash)));
