// The page of a quiz.
import { mountLearning } from "./page/learn";

for (const place of document.querySelectorAll<HTMLElement>("[data-learning]")) mountLearning(place);
