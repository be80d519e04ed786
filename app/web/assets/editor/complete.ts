// Completes names while the student types, from the code and the lists of names. The server is not asked.
import { localCompletionSource } from "@codemirror/lang-python";
import { type EditorState, type Extension, Prec } from "@codemirror/state";
import { type EditorView, keymap, type Rect } from "@codemirror/view";
// The package itself: `@codemirror/autocomplete` is no_completion.ts in the bundle.
import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
  moveCompletionSelection,
  selectedCompletion,
  startCompletion,
} from "../../../../node_modules/@codemirror/autocomplete/dist/index";
import { isVim } from "./keys";
import { type Entry, importsOf, type Members, type Names, pathOf, treeAt } from "./names";
import { callAt, card, parametersOf } from "./signature";

const TYPES: Record<string, string> = { c: "class", f: "function", k: "keyword", m: "namespace", v: "variable" };
const WORD = /^\w*$/;
const MOST_DETAIL = 44;

export function completion(names: Names, whileTyping: boolean): Extension {
  return [
    autocompletion({
      override: [(context) => complete(context, names)],
      activateOnTyping: whileTyping,
      defaultKeymap: false,
      icons: false,
      maxRenderedOptions: 10, // a page of the list, which does not scroll
      positionInfo: placeInfo,
    }),
    Prec.highest(
      keymap.of([
        { key: "Ctrl-Space", run: startCompletion },
        { mac: "Alt-i", run: startCompletion },
        { key: "Escape", run: close },
        { key: "ArrowDown", run: moveCompletionSelection(true) },
        { key: "ArrowUp", run: moveCompletionSelection(false) },
        { key: "PageDown", run: moveCompletionSelection(true, "page") },
        { key: "PageUp", run: moveCompletionSelection(false, "page") },
        { key: "Enter", run: accept },
        { key: "Tab", run: (view) => acceptCompletion(view) || completionStatus(view.state) === "active" },
      ]),
    ),
  ];
}

function close(view: EditorView): boolean {
  const isOpen = completionStatus(view.state) === "active";
  return closeCompletion(view) && isOpen && !isVim();
}

// Under the list, or above it if there is no room. Beside the list, a phone has no room.
function placeInfo(_view: EditorView, list: Rect, _option: Rect, info: Rect, space: Rect): { style: string } {
  const side = list.bottom + info.bottom - info.top <= space.bottom ? "top" : "bottom";
  return { style: `${side}: 100%; left: 0; max-width: ${Math.floor(space.right - list.left)}px` };
}

// Enter after a name that is already whole starts a new line, as without completion.
function accept(view: EditorView): boolean {
  const label = selectedCompletion(view.state)?.label ?? "";
  const head = view.state.selection.main.head;
  if (completionStatus(view.state) !== "active" || view.state.sliceDoc(Math.max(0, head - label.length), head) !== label) return acceptCompletion(view);
  closeCompletion(view);
  return false;
}

async function complete(context: CompletionContext, names: Names): Promise<CompletionResult | null> {
  const { state, pos } = context;
  if (/String|Comment/.test(treeAt(state, pos).resolveInner(pos, -1).name)) return null;
  await names.loadFor(state);
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (/^\s*(from|import)\s/.test(before)) return completeImport(names, before, pos);
  const member = context.matchBefore(/[\w.]*\.\w*$/);
  if (member) return completeMember(state, names, member.text, pos);
  return completeName(context, names, before);
}

async function completeImport(names: Names, line: string, pos: number): Promise<CompletionResult | null> {
  const from = line.match(/^\s*from\s+([\w.]+)\s+import\s+(?:[\w\s,(]*[\s,(])?(\w*)$/);
  if (from?.[1]) {
    await names.load([from[1]]);
    return result(list(names.members(from[1]) ?? {}, from[1]), pos, from[2] ?? "");
  }
  const module = line.match(/(?:^\s*(?:from|import)\s+|,\s*)(?:([\w.]*)\.)?(\w*)$/);
  if (!module) return null;
  await names.load([module[1] ?? "python"]);
  const options = names.modulesIn(module[1] ?? "").map((label) => ({ label, type: "namespace" }));
  return result(options, pos, module[2] ?? "");
}

function completeMember(state: EditorState, names: Names, text: string, pos: number): CompletionResult | null {
  const dot = text.lastIndexOf(".");
  const owner = text.slice(0, dot);
  if (/^\d/.test(owner)) return null;
  const path = pathOf(state, owner);
  const listed = path === null ? null : names.members(path);
  if (path !== null && listed) return result(list(listed, path), pos, text.slice(dot + 1));
  if (path !== null && (!path.includes(".") || names.find(path)?.[0] === "m")) return null; // a module without a list
  const written = [...state.doc.toString().matchAll(/\.([A-Za-z_]\w*)/g)].filter((match) => match.index + match[0].length !== pos);
  const own = written.map((match) => ({ label: match[1] ?? "", type: "property" }));
  const usual = names.classesFor(state).flatMap(([name, members]) => list(members, name));
  return result([...usual, ...own], pos, text.slice(dot + 1));
}

function completeName(context: CompletionContext, names: Names, before: string): CompletionResult | null {
  const { state, pos } = context;
  const word = context.matchBefore(/\w+$/)?.text ?? "";
  if ((word === "" && !context.explicit) || /^\d/.test(word) || /\b(def|class|as|for)\s+\w*$/.test(before)) return null;
  const local = localCompletionSource(context)?.options ?? [];
  const imported = [...importsOf(state.doc).keys()].map((label) => ({ label, type: "namespace", boost: 1 }));
  const mine = local.filter((option) => option.label !== word).map((option) => ({ ...option, boost: 1 }));
  return result([...keywords(state, pos, names), ...mine, ...imported, ...list(names.members("builtins") ?? {}, "")], pos, word);
}

// Inside the parentheses of a call, the names of its parameters.
function keywords(state: EditorState, pos: number, names: Names): Completion[] {
  const signature = callAt(state, pos, names)?.known.signature ?? "";
  const named = parametersOf(signature).filter((part) => /^[a-z_]\w*/i.test(part));
  return named.map((part) => ({ label: `${part.match(/^\w+/)?.[0] ?? ""}=`, type: "property", boost: 2 }));
}

function list(members: Members, owner: string): Completion[] {
  return Object.entries(members).map(([label, entry]) => option(label, entry, owner));
}

function option(label: string, [kind, signature = "", words = ""]: Entry, owner: string): Completion {
  const detail = signature.length > MOST_DETAIL ? `${signature.slice(0, MOST_DETAIL)}…` : signature;
  const title = owner ? `${owner}.${label}` : label;
  const info = words || detail !== signature ? () => card({ title, signature, words }) : undefined;
  return { label, detail, type: TYPES[kind] ?? "variable", ...(info && { info }) };
}

// Of options with the same name, the first stays.
function result(options: Completion[], pos: number, typed: string): CompletionResult | null {
  const unique = new Map([...options].reverse().map((one) => [one.label, one]));
  return unique.size ? { from: pos - typed.length, options: [...unique.values()], validFor: WORD } : null;
}
