// Replaces @codemirror/autocomplete in the bundle, which saves 7 kB: the editor has no completion. It exports the names
// that the languages and the Emacs bindings import.
export const snippetCompletion = (_template: string, completion: object): object => completion;
export const completeFromList = (): (() => null) => () => null;
export const ifNotIn = (_nodes: readonly string[], source: object): object => source;
export const completionStatus = (): null => null;
export const startCompletion = (): boolean => false;
