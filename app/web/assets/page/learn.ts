// Hints and answers without a reload: sends the form and refreshes its part of the page. Without scripts the
// same buttons work by themselves.
import { fetchFragment } from "./live";
import { phrase } from "./phrase";
import { showLocalTimes } from "./time";

export function mountLearning(place: HTMLElement): void {
  place.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    event.preventDefault();
    void post(place, form.action, new FormData(form, event.submitter), form.dataset["then"]);
  });
  // These buttons would send the editor's form with its code. Here the draft is already saved.
  place.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>("button[formaction]");
    if (!button) return;
    event.preventDefault();
    const fields = new FormData();
    fields.set(button.name, button.value);
    void post(place, button.formAction, fields, button.dataset["then"]);
  });
}

export async function refreshLearning(place: HTMLElement): Promise<boolean> {
  const html = await fetchFragment(place.dataset["learning"] ?? "");
  const fresh = html && new DOMParser().parseFromString(html, "text/html").querySelector("[data-learning]");
  if (!fresh) return false;
  place.innerHTML = fresh.innerHTML;
  showLocalTimes(place);
  place.dispatchEvent(new Event("replaced"));
  return true;
}

async function post(place: HTMLElement, address: string, fields: FormData, then: string | undefined): Promise<void> {
  const body = new URLSearchParams(fields as unknown as Record<string, string>);
  const buttons = place.querySelectorAll("button");
  for (const button of buttons) button.disabled = true;
  const refusal = await send(address, body, phrase(place, "away"));
  const isFresh = (await refreshLearning(place)) && refusal === "";
  for (const button of buttons) button.disabled = false;
  if (isFresh) document.getElementById(then ?? "")?.focus();
  else tell(place, refusal || phrase(place, "away"));
}

// Returns an empty text on success, which is a redirect, or else the error.
async function send(address: string, body: URLSearchParams, away: string): Promise<string> {
  try {
    const answer = await fetch(address, { method: "POST", body, redirect: "manual" });
    if (answer.type === "opaqueredirect") return "";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return page.querySelector("[data-advice]")?.textContent?.trim() || away;
  } catch {
    return away;
  }
}

function tell(place: HTMLElement, words: string): void {
  const trouble = place.querySelector<HTMLElement>("[data-trouble]");
  if (!trouble) return;
  trouble.textContent = words;
  trouble.hidden = false;
}
