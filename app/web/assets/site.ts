// Every page.
import { mountBookmarks } from "./page/bookmark";
import { offerCopies } from "./page/copy";
import { showLocalTimes } from "./page/time";

showLocalTimes(document);
offerCopies(document);
mountBookmarks();
