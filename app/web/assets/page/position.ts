// Shows the cursor's line and column.
import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { phrase } from "./phrase";

export function mountPosition(view: EditorView, place: HTMLElement): void {
  const show = () => {
    const head = view.state.selection.main.head;
    const line = view.state.doc.lineAt(head);
    const numbers = [line.number, head - line.from + 1];
    place.textContent = phrase(place, "position").replace(/%s/g, () => String(numbers.shift()));
  };
  const listener = EditorView.updateListener.of((update) => {
    if (update.selectionSet || update.docChanged) show();
  });
  view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
  show();
}
