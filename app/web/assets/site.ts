// Every page.
import { mountSetting } from "./page/appearance";
import { mountBookmarks } from "./page/bookmark";
import { offerCopies } from "./page/copy";
import { showLocalTimes } from "./page/time";

showLocalTimes(document);
offerCopies(document);
mountBookmarks();
for (const choice of document.querySelectorAll<HTMLSelectElement>("[data-setting]")) mountSetting(choice);
