// Every page.
import { mountSetting } from "./page/appearance";
import { mountBookmarks } from "./page/bookmark";
import { offerCopies } from "./page/copy";
import { mountExam } from "./page/exam";
import { showLocalTimes } from "./page/time";

showLocalTimes(document);
offerCopies(document);
mountBookmarks();
for (const bar of document.querySelectorAll<HTMLElement>("[data-exam]")) mountExam(bar);
for (const choice of document.querySelectorAll<HTMLSelectElement>("[data-setting]")) mountSetting(choice);
