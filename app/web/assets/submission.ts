// The page of a submission.
import { keepFresh } from "./page/live";

for (const place of document.querySelectorAll<HTMLElement>("[data-live]")) keepFresh(place);
