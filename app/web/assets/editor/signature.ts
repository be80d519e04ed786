// Shows signatures with a sentence: of the name under the pointer, and of the call while its arguments are typed. A key
// shows the one at the cursor. Each is announced.
import { type EditorState, type Extension, StateEffect, StateField, type Transaction } from "@codemirror/state";
import { closeHoverTooltips, EditorView, hasHoverTooltips, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import { isVim } from "./keys";
import { type Known, lookUp, type Names, type Node, textOf, treeAt } from "./names";

interface Shown {
  pos: number;
  known: Known;
  parameter: number | null; // the place of the argument at the cursor; null where a name is described
}

interface Call {
  from: number;
  known: Known;
  parameter: number;
}

const show = StateEffect.define<Shown | null>();

export function signatures(names: Names): Extension {
  const shown = StateField.define<Shown | null>({
    create: () => null,
    update: (before, change) => update(before, change, names),
    provide: (field) => showTooltip.from(field, (value) => value && tooltip(value)),
  });
  const announcer = EditorView.updateListener.of(({ view, state, startState }) => {
    const now = state.field(shown);
    if (now && now.known.title !== startState.field(shown, false)?.known.title) {
      view.dispatch({ effects: EditorView.announce.of(`${now.known.title}${now.known.signature}. ${now.known.words}`) });
    }
  });
  const ask = (view: EditorView) => {
    const { state } = view;
    const wanted = nameAt(state, state.selection.main.head, names) ?? callShown(state, names);
    view.dispatch({ effects: show.of(wanted) });
    return true;
  };
  const close = (view: EditorView) => {
    if (!view.state.field(shown) && !hasHoverTooltips(view.state)) return false;
    view.dispatch({ effects: [show.of(null), closeHoverTooltips] });
    return !isVim();
  };
  return [
    shown,
    announcer,
    hoverTooltip((view, pos, side) => hover(view.state, pos, side, names), { hideOnChange: true }),
    keymap.of([
      { key: "Ctrl-Shift-Space", run: ask },
      { key: "Escape", run: close },
    ]),
    EditorView.domEventHandlers({ blur: (_event, view) => void close(view) }),
  ];
}

function update(before: Shown | null, change: Transaction, names: Names): Shown | null {
  const asked = change.effects.find((effect) => effect.is(show));
  if (asked) return asked.value as Shown | null;
  if (!change.docChanged && !change.selection) return before;
  if (!isOpening(change) && before?.parameter == null) return null;
  const now = callShown(change.state, names);
  return now && (isOpening(change) || now.known.title === before?.known.title) ? now : null;
}

function isOpening(change: Transaction): boolean {
  let isFound = false;
  if (change.isUserEvent("input.type")) {
    change.changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => {
      if (/[(,]/.test(inserted.toString())) isFound = true;
    });
  }
  return isFound;
}

function callShown(state: EditorState, names: Names): Shown | null {
  const call = callAt(state, state.selection.main.head, names);
  return call && { pos: call.from, known: call.known, parameter: call.parameter };
}

/** The innermost call whose parentheses contain the position, if its function is known. */
export function callAt(state: EditorState, pos: number, names: Names): Call | null {
  for (let node: Node | null = treeAt(state, pos).resolveInner(pos, -1); node; node = node.parent) {
    if (node.name === "Body") return null;
    const isInside = node.name === "ArgList" && node.from < pos && (pos < node.to || textOf(state, node.lastChild) !== ")");
    const callee = isInside ? node.prevSibling : null;
    if (!callee || node.parent?.name !== "CallExpression") continue;
    const known = lookUp(state, names, expressionOf(state, callee));
    return known?.signature ? { from: node.from, known, parameter: parameterAt(state, node, pos, known.signature) } : null;
  }
  return null;
}

function parameterAt(state: EditorState, list: Node, pos: number, signature: string): number {
  let place = 0;
  let last: Node | null = null;
  for (let node = list.firstChild; node && node.from < pos; node = node.nextSibling) {
    if (node.name === "," && node.to <= pos) [place, last] = [place + 1, null];
    else if (node.name === "VariableName" && node.nextSibling?.name === "AssignOp") last = node;
  }
  const parameters = parametersOf(signature);
  const keyword = textOf(state, last);
  if (keyword) return parameters.findIndex((part) => part.match(/^\**(\w+)/)?.[1] === keyword);
  const positions = parameters.flatMap((part, index) => (/^[*/]$/.test(part) ? [] : [index]));
  const rest = parameters.findIndex((part) => /^\*\w/.test(part));
  const found = positions[place] ?? -1;
  return rest !== -1 && (found === -1 || found > rest) ? rest : found;
}

/** `(a, b=(1, 2))` has the parameters `a` and `b=(1, 2)`. */
export function parametersOf(signature: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let part = "";
  for (const letter of signature.slice(1, signature.endsWith(")") ? -1 : undefined)) {
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
    if (letter === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += letter;
  }
  return [...parts, part.trim()].filter((one) => one !== "");
}

function nameAt(state: EditorState, pos: number, names: Names): Shown | null {
  for (const side of [-1, 1] as const) {
    const node = treeAt(state, pos).resolveInner(pos, side);
    const known = isName(node) ? lookUp(state, names, expressionOf(state, node)) : null;
    if (known) return { pos: node.from, known, parameter: null };
  }
  return null;
}

async function hover(state: EditorState, pos: number, side: -1 | 1, names: Names): Promise<Tooltip | null> {
  const node = treeAt(state, pos).resolveInner(pos, side);
  if (!isName(node)) return null;
  await names.loadFor(state);
  const known = lookUp(state, names, expressionOf(state, node));
  return known && { ...tooltip({ pos: node.from, known, parameter: null }), end: node.to };
}

function isName(node: Node): boolean {
  return node.name === "VariableName" || node.name === "PropertyName";
}

// `np.linalg.norm`, or `.sum` where a method is called on any other expression.
function expressionOf(state: EditorState, node: Node): string {
  const whole = node.name === "PropertyName" && node.parent ? node.parent : node;
  const text = state.sliceDoc(whole.from, node.to).replace(/\s+/g, "");
  return /^[A-Za-z_][\w.]*$/.test(text) ? text : `.${text.slice(text.lastIndexOf(".") + 1)}`;
}

function tooltip({ pos, known, parameter }: Shown): Tooltip {
  return { pos, above: true, create: () => ({ dom: card(known, parameter) }) };
}

export function card({ title, signature, words }: Known, parameter: number | null = null): HTMLElement {
  const place = document.createElement("div");
  place.className = "code-help";
  const line = document.createElement("code");
  line.append(title);
  if (parameter === null || !signature) line.append(signature);
  else {
    const parts = parametersOf(signature).map((part, index) => {
      const piece = document.createElement(index === parameter ? "strong" : "span");
      piece.textContent = part;
      return piece;
    });
    line.append("(", ...parts.flatMap((part, index) => (index ? [", ", part] : [part])), signature.endsWith(")") ? ")" : "");
  }
  place.append(line);
  if (words) {
    const sentence = document.createElement("p");
    sentence.textContent = words;
    place.append(sentence);
  }
  return place;
}
