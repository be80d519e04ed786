// Every page.
import { showLocalTimes } from "./page/time";

showLocalTimes(document);
