// Makes one element equal to another and keeps scroll positions, focus, hover and open parts.
const KEPT = new Set(["data-touched"]);

export function morph(from: Element, to: Element): void {
  copyAttributes(from, to);
  const wanted = [...to.childNodes];
  for (const [place, child] of wanted.entries()) {
    while (isBlank(from.childNodes[place]) && !isBlank(child)) from.childNodes[place]?.remove();
    const there = from.childNodes[place];
    if (!there) from.append(child);
    else if (isLike(there, child)) morphNode(there, child);
    else if (isLike(there, wanted[place + 1])) from.insertBefore(child, there);
    else from.replaceChild(child, there);
  }
  while (from.childNodes.length > wanted.length) from.lastChild?.remove();
}

function morphNode(from: Node, to: Node): void {
  if (from.isEqualNode(to)) return;
  if (from instanceof Element && to instanceof Element) morph(from, to);
  else from.nodeValue = to.nodeValue;
}

function isBlank(node: Node | undefined): boolean {
  return node instanceof Text && node.data.trim() === "";
}

// Pictures are replaced as a whole.
function isLike(one: Node, other: Node | undefined): boolean {
  if (!other || one.nodeName !== other.nodeName || one.nodeName === "svg") return other?.isEqualNode(one) ?? false;
  return !(one instanceof Element && other instanceof Element) || one.id === other.id;
}

// Parts that the user opened or closed stay so.
function copyAttributes(from: Element, to: Element): void {
  const isTouched = from.hasAttribute("data-touched");
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !KEPT.has(name) && !(isTouched && name === "open")) from.removeAttribute(name);
  }
  for (const { name, value } of to.attributes) {
    if (from.getAttribute(name) !== value && !(isTouched && name === "open")) from.setAttribute(name, value);
  }
}
