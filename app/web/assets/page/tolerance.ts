// Moves the picture of the tolerance with its sliders. Without it, the page shows one example.
import { phrase } from "./phrase";

const MIDDLE = 300;
const REACH = 280;

export function mountTolerance(form: HTMLFormElement): void {
  const read = (name: string): number => Number((form.elements.namedItem(name) as HTMLInputElement).value);
  const part = (name: string): Element => form.querySelector(`[data-${name}]`)!;
  const [expectedName, yoursName] = ["expected-name", "yours-name"].map((name) => part(name).textContent!.split(" ")[0]!);

  function draw(): void {
    const expected = read("expected"), difference = read("difference"), rtol = read("rtol"), atol = read("atol");
    const allowed = atol + rtol * Math.abs(expected);
    const isRight = Math.abs(difference) <= allowed * (1 + 1e-9);
    const scale = REACH / Math.max(1.4 * allowed, 1.4 * Math.abs(difference), 0.001);
    part("band").setAttribute("x", String(MIDDLE - allowed * scale));
    part("band").setAttribute("width", String(2 * allowed * scale));
    part("yours").setAttribute("cx", String(MIDDLE + difference * scale));
    part("yours-name").setAttribute("x", String(Math.min(Math.max(MIDDLE + difference * scale, 50), 550)));
    part("yours-name").textContent = `${yoursName} ${short(expected + difference)}`;
    part("expected-name").textContent = `${expectedName} ${short(expected)}`;
    part("words").textContent =
      `|${short(expected + difference)} − ${signed(expected)}| = ${short(Math.abs(difference))} ` +
      `${isRight ? "≤" : ">"} ${short(atol)} + ${short(rtol)} · ${short(Math.abs(expected))} = ${short(allowed)}`;
    part("verdict").textContent = phrase(form, isRight ? "right" : "wrong");
    form.classList.toggle("is-wrong", !isRight);
  }

  form.addEventListener("input", draw);
  form.addEventListener("submit", (event) => event.preventDefault());
  (part("controls") as HTMLElement).hidden = false;
  draw();
}

function short(number: number): string {
  return String(Number(number.toPrecision(4))).replace("-", "−");
}

function signed(number: number): string {
  return number < 0 ? `(${short(number)})` : short(number);
}
