// Replaces @codemirror/autocomplete in the bundle, because the languages and the Emacs bindings import it and would load it
// with the page. assist.ts imports the package by its file, and is loaded when the editor gets the focus.
export const snippetCompletion = (_template: string, completion: object): object => completion;
export const completeFromList = (): (() => null) => () => null;
export const ifNotIn = (_nodes: readonly string[], source: object): object => source;
export const completionStatus = (): null => null;
export const startCompletion = (): boolean => false;
