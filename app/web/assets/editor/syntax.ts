// Underlines the first line with a syntax error after a pause in typing, and shows its number. It uses the editor's
// parser, so the judge may decide otherwise.
import { ensureSyntaxTree } from "@codemirror/language";
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { phrase } from "../page/phrase";

const PAUSE_MS = 900;
const PATIENCE_MS = 50; // the time limit for parsing; a longer source is not checked

const underline = StateEffect.define<number | null>();

const faultLine = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, change) {
    const given = change.effects.find((effect) => effect.is(underline));
    if (!given) return shown.map(change.changes);
    const line = given.value as number | null;
    if (line === null) return Decoration.none;
    return Decoration.set(Decoration.line({ class: "line-unread" }).range(change.state.doc.line(line).from));
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function mountSyntax(view: EditorView, place: HTMLElement): void {
  let timer = 0;
  const look = () => {
    const line = findUnread(view.state);
    view.dispatch({ effects: underline.of(line) });
    place.textContent = line === null ? "" : phrase(place, "unread").replace("%s", String(line));
  };
  const listener = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    clearTimeout(timer);
    timer = window.setTimeout(look, PAUSE_MS);
  });
  view.dispatch({ effects: StateEffect.appendConfig.of([faultLine, listener]) });
  timer = window.setTimeout(look, PAUSE_MS);
}

function findUnread(state: EditorState): number | null {
  const tree = ensureSyntaxTree(state, state.doc.length, PATIENCE_MS);
  let found: number | null = null;
  tree?.iterate({
    enter: (node) => {
      if (found === null && node.type.isError) found = lineOf(state, node.from, node.to);
      return found === null;
    },
  });
  return found;
}

// The parser notes what is missing, such as a bracket, where the next token begins. It belongs after the token before.
function lineOf(state: EditorState, from: number, to: number): number {
  const place = from === to ? state.sliceDoc(0, from).trimEnd().length : from;
  return state.doc.lineAt(place).number;
}
