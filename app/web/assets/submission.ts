// The page of a submission.
import "./page/elapsed";
import { keepFresh } from "./page/live";
import "./page/stop";

for (const place of document.querySelectorAll<HTMLElement>("[data-live]")) keepFresh(place);
