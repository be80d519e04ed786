// Underlines the first line that Python could not read, after a pause in typing, and says which one it is. The editor's
// own parser is asked: nothing is sent, and the judge has the last word.
import { ensureSyntaxTree } from "@codemirror/language";
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";
import { phrase } from "../page/phrase";

const PAUSE_MS = 900;
const PATIENCE_MS = 50; // for parsing a long source; then nothing is said of it

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
      if (found === null && node.type.isError) found = state.doc.lineAt(node.from).number;
      return found === null;
    },
  });
  return found;
}
