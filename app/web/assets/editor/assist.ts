// What an editor can do besides editing, loaded when it first gets the focus: search, closing brackets, and in Python
// completion and signatures.
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, Prec, StateEffect } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
// The package itself: `@codemirror/autocomplete` is no_completion.ts in the bundle.
import { closeBrackets, closeBracketsKeymap } from "../../../../node_modules/@codemirror/autocomplete/dist/index";
import { recall } from "../page/memory";
import { completion } from "./complete";
import { Names } from "./names";
import { signatures } from "./signature";

/** `addresses`: those of the lists of names, or null where the text is no Python. */
export function assist(view: EditorView, addresses: string | null): void {
  const general = [
    Prec.high(keymap.of([...closeBracketsKeymap, ...searchKeymap])),
    closeBrackets(),
    highlightSelectionMatches(),
    search({ top: true }),
  ];
  view.dispatch({ effects: StateEffect.appendConfig.of(general) });
  if (addresses !== null) assistPython(view, addresses);
}

function assistPython(view: EditorView, addresses: string): void {
  const names = new Names(addresses);
  const chosen = new Compartment();
  const completing = () => completion(names, recall("suggest") !== "no");
  const loader = EditorView.updateListener.of((update) => {
    if (update.docChanged) void names.loadFor(update.state); // of a new import
  });
  view.dispatch({ effects: StateEffect.appendConfig.of([chosen.of(completing()), Prec.high(signatures(names)), loader]) });
  document.addEventListener("suggest", () => view.dispatch({ effects: chosen.reconfigure(completing()) }));
  void names.loadFor(view.state);
}
