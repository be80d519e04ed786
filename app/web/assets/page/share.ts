// The division of the page: the statement's share of the width and the editor's share of the height, in percent.
import { forget, keep, recall } from "./memory";

export interface Division {
  readonly memory: string;
  readonly usual: number;
  readonly least: number;
  readonly most: number;
  readonly property: string;
}

export const DIVISIONS: Record<string, Division> = {
  statement: {
    memory: "statement-share",
    usual: 46,
    least: 20,
    most: 75,
    property: "--statement",
  },
  editor: {
    memory: "editor-share",
    usual: 68,
    least: 30,
    most: 85,
    property: "--editor",
  },
};

export function recallShare(division: Division): number {
  return Number(recall(division.memory)) || division.usual;
}

// Null resets to the default.
export function divide(division: Division, share: number | null): number {
  const kept = Math.round(Math.min(Math.max(share ?? division.usual, division.least), division.most));
  document.documentElement.style.setProperty(division.property, `${kept}%`);
  if (share === null) forget(division.memory);
  else keep(division.memory, String(kept));
  return kept;
}

// Gives the result at least half of the height on this page, and remembers nothing.
export function makeRoomForResult(): void {
  const editor = DIVISIONS["editor"];
  // The divider takes some of the height too.
  if (editor && recallShare(editor) > 48) document.documentElement.style.setProperty(editor.property, "48%");
}
