// Every page.
import { offerCopies } from "./page/copy";
import { showLocalTimes } from "./page/time";

showLocalTimes(document);
offerCopies(document);
