// The theme and the size of the code, as this browser remembers them. early.js applies them before the first paint.
import { forget, keep, recall } from "./memory";

export const APPEARANCE: Record<string, (value: string) => void> = {
  theme: (value) => {
    if (value) document.documentElement.dataset["theme"] = value;
    else delete document.documentElement.dataset["theme"];
  },
  "code-size": (value) => document.documentElement.style.setProperty("--code-size", /^\d+$/.test(value) ? `${Number(value) / 16}rem` : ""),
};

export function applyAppearance(): void {
  for (const [name, apply] of Object.entries(APPEARANCE)) apply(recall(name) ?? "");
}

/** A choice whose name is in `data-setting`: of the appearance, or of another behaviour, which hears of it by an event. */
export function mountSetting(choice: HTMLSelectElement): void {
  const name = choice.dataset["setting"] ?? "";
  const remembered = recall(name);
  if ([...choice.options].some((option) => option.value === remembered)) choice.value = remembered ?? "";
  choice.addEventListener("change", () => {
    if (choice.value) keep(name, choice.value);
    else forget(name);
    APPEARANCE[name]?.(choice.value);
    for (const same of document.querySelectorAll<HTMLSelectElement>(`[data-setting="${name}"]`)) same.value = choice.value;
    document.dispatchEvent(new Event(name));
  });
}
