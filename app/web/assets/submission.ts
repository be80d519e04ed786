// The page of a submission.
import "./page/elapsed";
import { keepFresh } from "./page/live";
import { forgetSent } from "./page/package_copy";
import "./page/stop";

for (const place of document.querySelectorAll<HTMLElement>("[data-copy-sent]")) forgetSent(place.dataset["copySent"] ?? "");
for (const place of document.querySelectorAll<HTMLElement>("[data-live]")) keepFresh(place);
