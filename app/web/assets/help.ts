// The page of help.
import { mountTolerance } from "./page/tolerance";

for (const form of document.querySelectorAll<HTMLFormElement>("[data-tolerance]")) mountTolerance(form);
