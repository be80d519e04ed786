// How much of the page's width the statement has, in percent.
export const MEMORY = "statement-share";
export const USUAL = 46;
const LEAST = 20;
const MOST = 75;

export function setShare(share: number): number {
  const kept = Math.round(Math.min(Math.max(share, LEAST), MOST));
  document.documentElement.style.setProperty("--statement", `${kept}%`);
  return kept;
}

export { LEAST, MOST };
