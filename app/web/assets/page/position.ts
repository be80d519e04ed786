// Says in which line and column the cursor stands, since messages name lines.
import { StateEffect } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

export function mountPosition(view: EditorView, place: HTMLElement): void {
  const show = () => {
    const head = view.state.selection.main.head;
    const line = view.state.doc.lineAt(head);
    place.textContent = `Line ${line.number}, column ${head - line.from + 1}`;
  };
  const listener = EditorView.updateListener.of((update) => {
    if (update.selectionSet || update.docChanged) show();
  });
  view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
  show();
}
