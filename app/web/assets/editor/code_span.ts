/** Appends a sentence and shows what it has in backticks as code, as the templates' filter `code_spans` does. */
export function appendSentence(place: Element, sentence: string): void {
  for (const [at, part] of sentence.split(/`([^`\n]+)`/).entries()) {
    if (at % 2 === 0) {
      place.append(part);
    } else {
      const code = document.createElement("code");
      code.textContent = part;
      place.append(code);
    }
  }
}
