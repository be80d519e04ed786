// Sends the solution and shows its result on the same page. Without scripts the form works by itself.
import { fetchFragment, keepFresh, replace } from "./live";
import { reveal } from "./pane";
import { phrase } from "./phrase";
import { makeRoomForResult } from "./share";

export function mountSending(form: HTMLFormElement, result: HTMLElement): void {
  const buttons = [...form.elements].filter((part): part is HTMLButtonElement => part.matches("button[name=mode]"));
  const live = result.querySelector<HTMLElement>("[data-live]");
  if (!live) return;
  let stop = live.dataset["live"] ? keepFresh(live) : () => {};

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const fields = new FormData(form, event.submitter);
    for (const button of buttons) button.disabled = true;
    stop();
    const old = [...live.childNodes];
    live.replaceChildren(sending(form));
    const path = await send(form, fields);
    if (path !== null) {
      stop = await follow(result, live, path);
      form.dispatchEvent(new Event("sent"));
    } else {
      live.replaceChildren(...old);
      if (live.dataset["live"]) stop = keepFresh(live);
    }
    for (const button of buttons) button.disabled = false;
  });
}

// Stands in the place of the old verdict, which does not apply to what is being sent.
function sending(form: HTMLFormElement): HTMLElement {
  const words = document.createElement("p");
  words.className = "muted";
  words.textContent = phrase(form, "sending");
  return words;
}

// Returns the path of the submission's page, or null after a refusal, which it shows.
async function send(form: HTMLFormElement, fields: FormData): Promise<string | null> {
  const body = new URLSearchParams(fields as unknown as Record<string, string>);
  try {
    const answer = await fetch(form.action, { method: "POST", body });
    const address = new URL(answer.url);
    if (answer.redirected && /^\/(submissions|visitor-runs)\//.test(address.pathname)) {
      renew(form);
      refuse(form, "");
      return address.pathname;
    }
    if (answer.redirected) location.assign(address);
    else tell(form, new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch {
    refuse(form, phrase(form, "away"));
  }
  return null;
}

async function follow(result: HTMLElement, live: HTMLElement, path: string): Promise<() => void> {
  live.dataset["live"] = `${path}/result`;
  live.dataset["events"] = `${path}/events`;
  const fragment = await fetchFragment(`${path}/result`);
  for (const link of result.querySelectorAll<HTMLAnchorElement>("a[data-page]")) link.href = path;
  makeRoomForResult();
  reveal(result);
  live.replaceChildren(); // open parts of the previous result do not apply
  replace(live, fragment ?? "");
  result.scrollTop = 0;
  result.scrollIntoView({ block: "nearest" });
  return keepFresh(live);
}

// A new attempt, so that the same text can be submitted again. Only a double click repeats an attempt.
function renew(form: HTMLFormElement): void {
  const attempt = form.elements.namedItem("attempt");
  const digits = crypto.getRandomValues(new Uint32Array(4));
  if (attempt instanceof HTMLInputElement) attempt.value = [...digits].map((part) => part.toString(36)).join("");
}

function refuse(form: HTMLFormElement, words: string): void {
  const place = form.querySelector<HTMLElement>("[data-refusal]");
  if (!place) return;
  place.hidden = words === "";
  const text = place.querySelector("span");
  if (text) text.textContent = words;
}

// Shows the errors of the returned page: faults of the inputs beside them, all others beside the code.
function tell(form: HTMLFormElement, page: Document): void {
  const said = page.querySelector("[data-refusal]:not([hidden]) span") ?? page.querySelector("[data-advice]");
  const isOfInputs = page.querySelector("[data-input-faults] li") !== null;
  refuse(form, isOfInputs ? "" : said?.textContent?.trim() || phrase(form, "away"));
  form.dispatchEvent(new CustomEvent("refused", { detail: page }));
}
