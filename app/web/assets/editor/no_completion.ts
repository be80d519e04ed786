// Stands for @codemirror/autocomplete in the bundle: the editor completes nothing, and 7 kB of every page are spared.
// It has what the languages and the keys of Emacs import.
export const snippetCompletion = (_template: string, completion: object): object => completion;
export const completeFromList = (): (() => null) => () => null;
export const ifNotIn = (_nodes: readonly string[], source: object): object => source;
export const completionStatus = (): null => null;
export const startCompletion = (): boolean => false;
