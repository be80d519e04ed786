// On narrow screens, shows one pane of a problem at a time. Without scripts the links jump to the panes.
export function mountPanes(links: HTMLElement): void {
  const all = [...links.querySelectorAll<HTMLAnchorElement>("a[href^='#']")];
  const show = (name: string) => {
    const whole = links.parentElement;
    if (whole) whole.dataset["shown"] = name;
    for (const link of all) link.ariaCurrent = link.hash === `#${name}` ? "true" : null;
  };
  for (const link of all) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      show(link.hash.slice(1));
      window.scrollTo(0, 0);
    });
  }
  document.addEventListener("pane", (event) => show((event as CustomEvent<string>).detail));
  const asked = all.find((link) => link.hash === location.hash) ?? all[0];
  if (asked) show(asked.hash.slice(1));
}

export function showPane(name: string): void {
  document.dispatchEvent(new CustomEvent("pane", { detail: name }));
}
