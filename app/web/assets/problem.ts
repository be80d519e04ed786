// The page of a problem.
import { pythonLanguage } from "@codemirror/lang-python";
import { keepCaretInView } from "./editor/caret";
import { mountFormat, mountKeys } from "./editor/keys";
import { mountEditor } from "./editor/mount";
import { mountSyntax } from "./editor/syntax";
import { mountDraft } from "./page/draft";
import "./page/elapsed";
import { mountFaults } from "./page/fault";
import { mountInputs } from "./page/inputs";
import { mountLearning, refreshLearning } from "./page/learn";
import { refreshMine } from "./page/mine";
import { mountNote } from "./page/note";
import { mountPanes } from "./page/pane";
import { mountPosition } from "./page/position";
import { mountSending } from "./page/send";
import { mountSolution } from "./page/solution";
import { mountSplit } from "./page/split";
import "./page/stop";
import { mountTabs, openAddress } from "./page/tabs";

for (const separator of document.querySelectorAll<HTMLElement>("[data-split]")) mountSplit(separator);
for (const links of document.querySelectorAll<HTMLElement>("[data-panes]")) mountPanes(links);
for (const list of document.querySelectorAll<HTMLElement>("[data-tabs]")) mountTabs(list);
for (const panel of document.querySelectorAll<HTMLElement>("[data-inputs]")) mountInputs(panel);
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-note]")) mountNote(form);
for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-draft-key]")) {
  const view = mountEditor(area, pythonLanguage);
  const result = document.querySelector<HTMLElement>("[data-result]");
  for (const choice of document.querySelectorAll<HTMLSelectElement>("[data-keys]")) mountKeys(view, choice);
  for (const place of document.querySelectorAll<HTMLElement>("[data-position]")) mountPosition(view, place);
  for (const place of document.querySelectorAll<HTMLElement>("[data-say-unread]")) mountSyntax(view, place);
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-format]")) mountFormat(view, area, button);
  mountDraft(view, area);
  keepCaretInView(view);
  if (area.form && result) {
    mountFaults(view, area.form, result);
    mountSending(area.form, result);
  }
}
const live = document.querySelector<HTMLElement>("[data-result] [data-live]");
const whenJudged = (act: () => void) => {
  let judged: string | undefined;
  live?.addEventListener("replaced", () => {
    if (!live.querySelector("[data-verdict], [data-final]") || live.dataset["live"] === judged) return;
    judged = live.dataset["live"];
    act();
  });
};
for (const place of document.querySelectorAll<HTMLElement>("[data-learning]")) {
  mountLearning(place);
  mountSolution(place);
  whenJudged(() => void refreshLearning(place)); // an accepted submission opens the solution
}
for (const place of document.querySelectorAll<HTMLElement>("[data-mine]")) {
  whenJudged(() => void refreshMine(place));
  document.querySelector("form.editor")?.addEventListener("sent", () => void refreshMine(place));
}
openAddress();
