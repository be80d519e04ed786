// The page of a problem.
import { pythonLanguage } from "@codemirror/lang-python";
import { mountKeys } from "./editor/keys";
import { mountEditor } from "./editor/mount";
import { mountDraft } from "./page/draft";
import { mountFaults } from "./page/fault";
import { mountPanes } from "./page/pane";
import { mountPosition } from "./page/position";
import { mountSending } from "./page/send";
import { mountSplit } from "./page/split";

for (const separator of document.querySelectorAll<HTMLElement>("[data-split]")) mountSplit(separator);
for (const links of document.querySelectorAll<HTMLElement>("[data-panes]")) mountPanes(links);
for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-editor]")) {
  const view = mountEditor(area, pythonLanguage);
  const result = document.querySelector<HTMLElement>("[data-result]");
  for (const choice of document.querySelectorAll<HTMLSelectElement>("[data-keys]")) mountKeys(view, choice);
  for (const place of document.querySelectorAll<HTMLElement>("[data-position]")) mountPosition(view, place);
  mountDraft(view, area);
  if (area.form && result) {
    mountFaults(view, area.form, result);
    mountSending(area.form, result);
  }
}
