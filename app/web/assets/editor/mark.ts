// Marks lines with a colour and a message below. Marks move with their lines.
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import { appendSentence } from "./code_span";

export interface Mark {
  line: number;
  words: string;
}

const replaceMarks = StateEffect.define<readonly Mark[]>();

class Words extends WidgetType {
  constructor(readonly words: string) {
    super();
  }
  override eq(other: Words): boolean {
    return other.words === this.words;
  }
  toDOM(): HTMLElement {
    const place = document.createElement("div");
    place.className = "line-words";
    appendSentence(place, this.words);
    return place;
  }
}

export const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, change) {
    const given = change.effects.find((effect) => effect.is(replaceMarks));
    return given ? draw(change.state, given.value as readonly Mark[]) : shown.map(change.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function showMarks(view: EditorView, wanted: readonly Mark[]): void {
  view.dispatch({ effects: replaceMarks.of(wanted) });
}

export function goToLine(view: EditorView, number: number): void {
  const line = view.state.doc.line(Math.min(Math.max(number, 1), view.state.doc.lines));
  view.dispatch({ selection: { anchor: line.from }, effects: EditorView.scrollIntoView(line.from, { y: "center" }) });
  view.focus();
}

function draw(state: EditorState, wanted: readonly Mark[]): DecorationSet {
  const there = wanted.filter((mark) => mark.line >= 1 && mark.line <= state.doc.lines);
  const decorations = there.flatMap((mark) => {
    const line = state.doc.line(mark.line);
    const coloured = Decoration.line({ class: "line-fault" }).range(line.from);
    const words = Decoration.widget({ widget: new Words(mark.words), block: true, side: 1 }).range(line.to);
    return mark.words ? [coloured, words] : [coloured];
  });
  return Decoration.set(decorations, true);
}
