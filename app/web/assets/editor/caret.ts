// Keeps the caret in sight when the editor becomes lower: by its divider, by a smaller window, or by a phone's keyboard.
import { EditorView } from "@codemirror/view";

export function keepCaretInView(view: EditorView): void {
  let height = view.scrollDOM.clientHeight;
  new ResizeObserver(() => {
    const before = height;
    height = view.scrollDOM.clientHeight;
    if (!view.hasFocus || height >= before) return;
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head, { y: "nearest", yMargin: 24 }) });
  }).observe(view.scrollDOM);
}
