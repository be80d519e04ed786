// How the page is divided: how much of its width the statement has, and of its height the editor, in percent.
import { forget, keep, recall } from "./memory";

export interface Division {
  readonly memory: string;
  readonly usual: number | null; // null: as the content asks
  readonly least: number;
  readonly most: number;
  readonly properties: (share: number) => Record<string, string>;
}

export const DIVISIONS: Record<string, Division> = {
  statement: {
    memory: "statement-share",
    usual: 46,
    least: 20,
    most: 75,
    properties: (share) => ({ "--statement": `${share}%` }),
  },
  editor: {
    memory: "editor-share",
    usual: null,
    least: 30,
    most: 85,
    properties: (share) => ({ "--editor-flex": `0 0 ${share}%`, "--result-flex": "1 1 0", "--result-most": "none" }),
  },
};

export function recallShare(division: Division): number | null {
  return Number(recall(division.memory)) || division.usual;
}

// Null goes back to the usual.
export function divide(division: Division, share: number | null): number | null {
  const wanted = share ?? division.usual;
  const kept = wanted === null ? null : Math.round(Math.min(Math.max(wanted, division.least), division.most));
  for (const [name, value] of Object.entries(division.properties(kept ?? 0))) {
    if (kept === null) document.documentElement.style.removeProperty(name);
    else document.documentElement.style.setProperty(name, value);
  }
  if (share === null) forget(division.memory);
  else keep(division.memory, String(kept));
  return kept;
}
