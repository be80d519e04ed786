// Tabs by the ARIA pattern: arrow keys, Home and End move, and the address keeps the chosen tab. Without scripts the links
// jump to the panels, which are all shown.
import { partOf, reveal } from "./pane";

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

export function mountTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLAnchorElement>("a[href^='#']")];
  const panel = (tab: HTMLAnchorElement) => partOf(tab.hash);
  const holding = (part: Element | null) => tabs.find((tab) => panel(tab)?.contains(part));
  let shown = tabs.find((tab) => panel(tab)?.classList.contains("is-open")) ?? tabs[0];

  // Sets all attributes again: the server replaces panels.
  const draw = () => {
    for (const tab of tabs) {
      const isShown = tab === shown;
      const part = panel(tab);
      tab.setAttribute("aria-selected", String(isShown));
      tab.tabIndex = isShown ? 0 : -1;
      part?.classList.toggle("is-open", isShown);
      part?.setAttribute("role", "tabpanel");
      part?.setAttribute("aria-labelledby", tab.id);
    }
  };
  const show = (tab: HTMLAnchorElement | undefined, isChosen: boolean) => {
    if (!tab) return;
    const isInAddress = holding(partOf(location.hash)) !== undefined;
    shown = tab;
    draw();
    if (isChosen || (isInAddress && holding(partOf(location.hash)) !== tab)) history.replaceState(history.state, "", tab.hash);
    panel(tab)?.dispatchEvent(new Event("shown", { bubbles: true }));
  };

  list.setAttribute("role", "tablist");
  for (const [at, tab] of tabs.entries()) {
    tab.id = `tab-${tab.hash.slice(1)}`;
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", tab.hash.slice(1));
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      show(tab, true);
    });
    tab.addEventListener("keydown", (event) => {
      const next = tabs[STEPS[event.key]?.(at, tabs.length) ?? -1];
      if (!next) return;
      event.preventDefault();
      next.focus();
      show(next, true);
    });
  }
  document.addEventListener("reveal", (event) => show(holding(event.target as Element), false));
  document.addEventListener("replaced", draw, true);
  draw();
}

// After all tabs are mounted: the tab in the address, and the part itself if it lies deeper.
export function openAddress(): void {
  const part = partOf(location.hash);
  if (!part) return;
  reveal(part);
  part.scrollIntoView({ block: "nearest" });
}
