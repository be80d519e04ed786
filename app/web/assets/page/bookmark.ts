// Adds and removes bookmarks in place. Without scripts, or if the server refuses, the same form reloads the page.
export function mountBookmarks(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (!form.matches("form[data-bookmark]")) return;
    event.preventDefault();
    void toggle(form);
  });
}

async function toggle(form: HTMLFormElement): Promise<void> {
  const button = form.querySelector("button");
  const wanted = form.querySelector<HTMLInputElement>("input[name=bookmarked]");
  if (!button || !wanted || button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  const isWanted = wanted.value === "true";
  const isDone = await put(form.action, isWanted);
  button.ariaBusy = null;
  if (!isDone) {
    form.submit(); // the server says what is wrong, or asks to sign in
    return;
  }
  button.setAttribute("aria-pressed", String(isWanted));
  wanted.value = String(!isWanted);
}

async function put(address: string, bookmarked: boolean): Promise<boolean> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ bookmarked });
  const answer = await fetch(address, { method: "PUT", body, headers, keepalive: true }).catch(() => null);
  return answer?.ok ?? false;
}
