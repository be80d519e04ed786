// Replaces a textarea with CodeMirror. The textarea stays in its form with the same text, so the form works as without
// scripts. `data-editor` holds the nonce of the page's styles.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, language as languageOf } from "@codemirror/language";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { reveal } from "../page/pane";
import { chosenKeys } from "./keys";
import { marks } from "./mark";
import { theme } from "./theme";

const LEAVING_MS = 60_000; // how long Tab leaves the editor after Escape

const behaviour: Extension = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightActiveLine(),
  highlightSpecialChars(),
  history(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  indentUnit.of("    "),
  EditorState.tabSize.of(4),
  indentOnInput(),
  bracketMatching(),
  keymap.of([...historyKeymap, indentWithTab, ...defaultKeymap]),
  EditorView.domEventHandlers({ beforeinput: replaceSelected }),
  theme,
  marks,
];

// Escape lets Tab leave the editor, unless it closed a list or a signature.
function leaving(): Extension {
  let isClosing = false;
  return [
    EditorView.domEventObservers({
      keydown: (event, view) => {
        if (event.key === "Escape") isClosing = view.dom.querySelector(".cm-tooltip") !== null;
      },
    }),
    EditorView.domEventHandlers({
      keyup: (event, view) => {
        if (event.key === "Escape" && !isClosing) view.setTabFocusMode(LEAVING_MS);
      },
    }),
  ];
}

// Typing over a selection: browsers would keep its style with style attributes, which the content policy forbids. Uses the
// page's selection, since the editor may not know it yet.
function replaceSelected(event: InputEvent, view: EditorView): boolean {
  const range = document.getSelection();
  if (event.inputType !== "insertText" || event.data === null || event.isComposing || !range?.rangeCount) return false;
  const { startContainer, startOffset, endContainer, endOffset } = range.getRangeAt(0);
  const from = view.posAtDOM(startContainer, startOffset);
  const to = view.posAtDOM(endContainer, endOffset);
  if (from === to) return false;
  event.preventDefault();
  const insert = () => view.state.update({ changes: { from, to, insert: event.data ?? "" }, userEvent: "input.type" });
  if (view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, event.data ?? "", insert))) return true;
  const selection = { anchor: from + event.data.length };
  view.dispatch({ changes: { from, to, insert: event.data }, selection, userEvent: "input.type", scrollIntoView: true });
  return true;
}

export function mountEditor(area: HTMLTextAreaElement, language: Extension): EditorView {
  const label = area.labels?.[0];
  const extensions = [keys(area), chosenKeys, behaviour, leaving(), language, tie(area, label)];
  const view = new EditorView({ doc: area.value, extensions });
  const isPython = view.state.facet(languageOf)?.name === "python";
  view.dom.addEventListener("focusin", () => void assistLater(view, isPython ? (area.dataset["names"] ?? "") : null), { once: true });
  area.before(view.dom);
  area.hidden = true;
  area.required = false; // browsers can't report a hidden required field; the server does
  label?.removeAttribute("for");
  label?.addEventListener("click", () => view.focus());
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
    if (area.id && link.hash === `#${area.id}`) link.addEventListener("click", (event) => leap(event, view, area));
  }
  return view;
}

async function assistLater(view: EditorView, addresses: string | null): Promise<void> {
  (await import("./assist")).assist(view, addresses);
}

// On a narrow screen, the form's pane may be hidden.
function leap(event: Event, view: EditorView, area: HTMLTextAreaElement): void {
  event.preventDefault();
  reveal(area);
  view.focus();
}

export function replaceAll(view: EditorView, text: string): void {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text }, selection: { anchor: 0 } });
}

function tie(area: HTMLTextAreaElement, label: HTMLLabelElement | undefined): Extension {
  return [
    EditorView.cspNonce.of(area.dataset["editor"] ?? ""),
    EditorView.contentAttributes.of({
      "aria-labelledby": label?.id ?? "",
      "aria-describedby": area.getAttribute("aria-describedby") ?? "",
      autocapitalize: "none",
      tabindex: "0",
    }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      area.value = update.state.doc.toString();
      area.dispatchEvent(new Event("input", { bubbles: true }));
    }),
  ];
}

// Shortcuts for the buttons that the field names, before all other key bindings.
function keys(area: HTMLTextAreaElement): Extension {
  const press = (id: string | undefined) => () => {
    const button = id ? document.getElementById(id) : null;
    if (!(button instanceof HTMLButtonElement)) return false;
    button.click();
    return true;
  };
  const wanted = [
    { key: "Mod-Enter", run: press(area.dataset["submit"]) },
    { key: "Shift-Enter", run: press(area.dataset["run"]) },
    { key: "Shift-Alt-f", run: press(area.dataset["format"]) },
  ];
  return Prec.highest(keymap.of(wanted));
}
