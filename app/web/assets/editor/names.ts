// What the editor knows about a name: from the lists of Python and the frameworks (list_names.py), and from the code.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";

type Tree = ReturnType<typeof syntaxTree>;
export type Node = Tree["topNode"];
/** The kind (`c` class, `f` function, `k` keyword, `m` module, `v` value), the signature, the first sentence. */
export type Entry = readonly [kind: string, signature?: string, words?: string];
export type Members = Readonly<Record<string, Entry>>;

interface List {
  version: string;
  modules: Record<string, Members>;
  classes: Record<string, Members>;
}

export interface Known {
  title: string; // the full name, such as `jax.numpy.sum`
  signature: string;
  words: string;
}

const IMPORT = /^[ \t]*import[ \t]+([\w., \t]+)/gm;
const FROM = /^[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)?|[^\n#]+)/gm;
const MOST_WORDS = 160;
const AGAIN_MS = 30_000;
const PARSE_MS = 500;

export class Names {
  private readonly lists = new Map<string, List>();
  private readonly requests = new Map<string, Promise<void>>();
  private readonly addresses: Map<string, string>;

  /** `addresses`: those of the lists, with spaces between them. A list has the name of its framework. */
  constructor(addresses: string) {
    const all = addresses.split(" ").filter((address) => address !== "");
    this.addresses = new Map(all.map((address) => [address.match(/(\w+)\.json/)?.[1] ?? "", address]));
  }

  /** Loads the lists of these modules, each once; one that can't be loaded is asked for again after a pause. */
  async load(paths: Iterable<string>): Promise<void> {
    const wanted = new Set([...paths].map((path) => this.listOf(path)));
    await Promise.all([...wanted].map((name) => this.requests.get(name) ?? this.request(name)));
  }

  loadFor(state: EditorState): Promise<void> {
    return this.load(["python", ...importsOf(state.doc).values()]);
  }

  /** What a module, or a class whose members are listed, contains. */
  members(path: string): Members | null {
    const list = this.lists.get(this.listOf(path));
    return own(list?.modules, path) ?? own(list?.classes, path);
  }

  find(path: string): Entry | null {
    const dot = path.lastIndexOf(".");
    return own(this.members(path.slice(0, dot)) ?? undefined, path.slice(dot + 1));
  }

  /** The names with which an import may begin, or go on after `parent`. */
  modulesIn(parent: string): string[] {
    const python = Object.keys(this.lists.get("python")?.modules ?? {});
    if (!parent) return [...this.addresses.keys(), ...python].filter((name) => name !== "python" && name !== "builtins");
    const inside = Object.keys(this.lists.get(this.listOf(parent))?.modules ?? {});
    const names = inside.filter((path) => path.startsWith(`${parent}.`)).map((path) => path.slice(parent.length + 1));
    return [...new Set(names.map((name) => name.split(".")[0] ?? ""))];
  }

  /** The listed classes of the imported frameworks, the arrays first: a value of unknown type may be one of theirs. */
  classesFor(state: EditorState): [string, Members][] {
    const wanted = new Set([...importsOf(state.doc).values()].map((path) => this.listOf(path)));
    return [...wanted, "python"].flatMap((name) => Object.entries(this.lists.get(name)?.classes ?? {}));
  }

  private listOf(path: string): string {
    const root = path.split(".")[0] ?? "";
    return this.addresses.has(root) ? root : "python";
  }

  private request(name: string): Promise<void> {
    const request = this.fetch(name);
    this.requests.set(name, request);
    return request;
  }

  private async fetch(name: string): Promise<void> {
    try {
      const answer = await fetch(this.addresses.get(name) ?? "");
      if (answer.ok) this.lists.set(name, await answer.json());
    } catch {
      // without the list, only the code's own names are known
    }
    if (!this.lists.has(name)) setTimeout(() => this.requests.delete(name), AGAIN_MS);
  }
}

/** The full name of what each imported name stands for: `np` is `numpy`. */
export function importsOf(doc: Text): Map<string, string> {
  const known = IMPORTS.get(doc);
  if (known) return known;
  const found = new Map<string, string>();
  const text = doc.toString();
  for (const [, names] of text.matchAll(IMPORT)) {
    for (const [path, alias] of eachImported(names ?? "")) found.set(alias ?? path.split(".")[0] ?? "", alias ? path : (path.split(".")[0] ?? ""));
  }
  for (const [, module, names] of text.matchAll(FROM)) {
    for (const [name, alias] of eachImported((names ?? "").replace(/#.*|[()]/g, ""))) found.set(alias ?? name, `${module}.${name}`);
  }
  IMPORTS.set(doc, found);
  return found;
}
const IMPORTS = new WeakMap<Text, Map<string, string>>();

function eachImported(names: string): [string, string | undefined][] {
  const parts = names.split(",").map((part) => part.trim().match(/^([\w.]+)(?:\s+as\s+(\w+))?$/));
  return parts.flatMap((part) => (part?.[1] ? [[part[1], part[2]] as [string, string | undefined]] : []));
}

/** The module or class that an expression such as `np.linalg` names, or null. */
export function pathOf(state: EditorState, expression: string): string | null {
  const [first = "", ...rest] = expression.split(".");
  const start = importsOf(state.doc).get(first);
  return start === undefined ? null : [start, ...rest].join(".");
}

/** What is known about an expression such as `np.sum`, or `.sum` for a method of an unknown value. */
export function lookUp(state: EditorState, names: Names, expression: string): Known | null {
  const parts = expression.split(".");
  const last = parts.at(-1) ?? "";
  if (parts.length === 1 || (parts.length === 2 && parts[0] === "self")) {
    const defined = definitionOf(state, last);
    if (defined) return defined;
  }
  const path = pathOf(state, expression) ?? (parts.length === 1 ? `builtins.${last}` : null);
  const entry = path === null ? null : names.find(path);
  if (entry) return say(parts.length === 1 && path?.startsWith("builtins.") ? last : (path ?? ""), entry);
  if (parts.length === 1) return null;
  const owner = names.classesFor(state).find(([, members]) => Object.hasOwn(members, last));
  return owner ? say(`${owner[0]}.${last}`, owner[1][last] ?? [""]) : null;
}

function say(title: string, entry: Entry): Known | null {
  const [, signature = "", words = ""] = entry;
  return signature || words ? { title, signature, words } : null;
}

/** The syntax tree as far as `upto`. After a change CodeMirror parses for 20 ms, which may end too early on a busy machine. */
export function treeAt(state: EditorState, upto: number): Tree {
  return ensureSyntaxTree(state, upto, PARSE_MS) ?? syntaxTree(state);
}

/** The function or class of this name in the code itself. */
function definitionOf(state: EditorState, name: string): Known | null {
  let found: Node | null = null;
  treeAt(state, state.doc.length).iterate({
    enter: (node) => {
      if (/^(Function|Class)Definition$/.test(node.name) && textOf(state, node.node.getChild("VariableName")) === name) found = node.node;
    },
  });
  return found && describe(state, name, found);
}

function describe(state: EditorState, name: string, node: Node): Known {
  const body = node.getChild("Body");
  const maker = node.name === "ClassDefinition" ? findMethod(state, body, "__init__") : node;
  const parameters = textOf(state, maker?.getChild("ParamList") ?? null).replace(/\s+/g, " ");
  const first = body?.getChildren("ExpressionStatement")[0];
  const isFirst = first !== undefined && body?.firstChild?.nextSibling?.from === first.from;
  const doc = isFirst ? textOf(state, first.getChild("String")) : "";
  return { title: name, signature: parameters.replace(/^\(self(, )?/, "("), words: firstSentence(doc) };
}

function findMethod(state: EditorState, body: Node | null, name: string): Node | undefined {
  const methods = body?.getChildren("FunctionDefinition") ?? [];
  return methods.find((method) => textOf(state, method.getChild("VariableName")) === name);
}

function firstSentence(literal: string): string {
  const text = literal.replace(/^[rRuUbBfF]*("""|'''|"|')|("""|'''|"|')$/g, "").replace(/\s+/g, " ").trim();
  return (text.match(/^.*?\.(?=\s|$)/)?.[0] ?? text).slice(0, MOST_WORDS);
}

export function textOf(state: EditorState, node: Node | null): string {
  return node ? state.sliceDoc(node.from, node.to) : "";
}

function own<Value>(record: Readonly<Record<string, Value>> | undefined, key: string): Value | null {
  return record && Object.hasOwn(record, key) ? (record[key] ?? null) : null;
}
