// Formats the code as `ruff format` does, in a worker (format_worker.ts) that is loaded with the first press.
import type { ChangeSpec, Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { phrase } from "../page/phrase";
import type { Answer, Request } from "./format_worker";
import { showMarks } from "./mark";

const PATIENCE_MS = 20_000; // with a slow download of Ruff
const MOST_PAIRS = 4_000_000; // of lines to compare; beyond that, the changed lines are replaced as one

let worker: Worker | null = null;
let isRunning = false;

/** The button has the addresses of the worker and of Ruff, and the words; `place` shows how it went. */
export async function formatCode(view: EditorView, area: HTMLTextAreaElement, button: HTMLButtonElement, place: HTMLElement): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  place.textContent = phrase(button, "formatting");
  const before = view.state.doc;
  const answer = await ask(button, before.toString());
  isRunning = false;
  place.textContent = apply(view, before, answer, button);
  const isFault = answer !== null && "fault" in answer;
  const forget = () => {
    place.textContent = "";
    if (isFault) showMarks(view, []);
  };
  area.addEventListener("input", forget, { once: true });
}

function apply(view: EditorView, before: Text, answer: Answer | null, button: HTMLButtonElement): string {
  if (answer === null) return phrase(button, "away");
  if (view.state.doc !== before) return phrase(button, "changed");
  if ("fault" in answer) {
    const start = new TextDecoder().decode(new TextEncoder().encode(before.toString()).slice(0, answer.at));
    const line = before.lineAt(Math.min(start.length, before.length)).number;
    showMarks(view, [{ line, words: answer.fault }]);
    return phrase(button, "fault").replace("%s", String(line)).replace("%s", answer.fault);
  }
  const changes = differences(before, answer.text);
  if (changes.length) view.dispatch({ changes, userEvent: "format", scrollIntoView: true });
  return phrase(button, changes.length ? "formatted" : "same");
}

function ask(button: HTMLButtonElement, source: string): Promise<Answer | null> {
  return new Promise((resolve) => {
    worker ??= new Worker(button.dataset["format"] ?? "", { type: "module" });
    const finish = (answer: Answer | null) => {
      clearTimeout(timer);
      if (answer === null) {
        worker?.terminate();
        worker = null;
      }
      resolve(answer);
    };
    const timer = window.setTimeout(() => finish(null), PATIENCE_MS);
    worker.onmessage = (message: MessageEvent<Answer>) => finish(message.data);
    worker.onerror = () => finish(null);
    const request: Request = { program: new URL(button.dataset["program"] ?? "", location.href).href, source };
    worker.postMessage(request);
  });
}

/** The changed lines only, so that the cursor and the marks stay at their lines. */
export function differences(before: Text, text: string): ChangeSpec[] {
  const old = before.toString().split("\n");
  const wanted = text.split("\n");
  let start = 0;
  while (start < Math.min(old.length, wanted.length) && old[start] === wanted[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, wanted.length) - start && old.at(-1 - end) === wanted.at(-1 - end)) end += 1;
  const from = old.slice(start, old.length - end);
  const to = wanted.slice(start, wanted.length - end);
  const pairs = from.length * to.length > MOST_PAIRS ? [] : common(from, to);
  const changes: ChangeSpec[] = [];
  let [a, b] = [0, 0];
  for (const [nextA, nextB] of [...pairs, [from.length, to.length] as const]) {
    if (a < nextA || b < nextB) changes.push(replacement(before, start + a, start + nextA, to.slice(b, nextB)));
    [a, b] = [nextA + 1, nextB + 1];
  }
  return changes;
}

// Lines are numbered from 0; `to` is excluded. Within the lines, equal beginnings and ends stay.
function replacement(before: Text, from: number, to: number, lines: string[]): ChangeSpec {
  const isAtEnd = to === before.lines;
  let begin = from < before.lines ? before.line(from + 1).from : before.length;
  let finish = isAtEnd ? before.length : before.line(to + 1).from;
  if (isAtEnd && from > 0) begin = before.line(from).to;
  const old = before.sliceString(begin, finish);
  const joined = lines.map((line) => (isAtEnd && from > 0 ? `\n${line}` : `${line}\n`)).join("");
  const insert = isAtEnd && from === 0 ? joined.slice(0, -1) : joined;
  let same = 0;
  while (same < Math.min(old.length, insert.length) && old[same] === insert[same]) same += 1;
  let tail = 0;
  while (tail < Math.min(old.length, insert.length) - same && old.at(-1 - tail) === insert.at(-1 - tail)) tail += 1;
  return { from: begin + same, to: finish - tail, insert: insert.slice(same, insert.length - tail) };
}

// The longest common subsequence of lines, as pairs of their places.
function common(one: string[], other: string[]): [number, number][] {
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let a = one.length - 1; a >= 0; a -= 1) {
    for (let b = other.length - 1; b >= 0; b -= 1) {
      const here = a * width + b;
      lengths[here] =
        one[a] === other[b] ? (lengths[here + width + 1] ?? 0) + 1 : Math.max(lengths[here + width] ?? 0, lengths[here + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let [a, b] = [0, 0]; a < one.length && b < other.length; ) {
    const here = a * width + b;
    if (one[a] === other[b]) pairs.push([a++, b++]);
    else if ((lengths[here + width] ?? 0) >= (lengths[here + 1] ?? 0)) a += 1;
    else b += 1;
  }
  return pairs;
}
