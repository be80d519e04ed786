/** Returns a script's text from its element: `phrase(root, "saved")` is the value of `data-say-saved`. */
export function phrase(root: HTMLElement, name: string): string {
  return root.getAttribute(`data-say-${name}`) ?? "";
}
