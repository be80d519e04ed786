// Keeps a fragment fresh until it is final: server-sent events hurry it along, and when none has come for a while
// (a proxy that buffers, a stream that is down) the fragment is asked for again.
const QUIET_MS = 4000;
const BROKEN_MS = 1500;

for (const place of document.querySelectorAll("[data-live]")) keepFresh(place);

function keepFresh(place) {
  if (isFinal(place)) return;
  let timer = 0;
  const stream = new EventSource(place.dataset.events);
  const stop = () => { stream.close(); clearTimeout(timer); };

  const show = (html) => {
    replace(place, html);
    if (isFinal(place)) stop(); else pollIn(QUIET_MS);
  };
  const poll = async () => {
    const html = await fetchFragment(place.dataset.live);
    if (html === null) pollIn(QUIET_MS); else show(html);
  };
  const pollIn = (ms) => { clearTimeout(timer); timer = setTimeout(poll, ms); };

  stream.addEventListener("result", (event) => show(event.data));
  stream.addEventListener("done", stop);
  stream.addEventListener("error", () => { if (!isFinal(place)) pollIn(BROKEN_MS); });
  pollIn(QUIET_MS);
}

async function fetchFragment(url) {
  try {
    const response = await fetch(url);
    return response.ok ? await response.text() : null;
  } catch {
    return null;
  }
}

function isFinal(place) {
  return place.querySelector("[data-final]") !== null;
}

// What the student has opened or closed, and where the keyboard is, outlives the replacement.
function replace(place, html) {
  const touched = new Map([...place.querySelectorAll("details[data-touched]")].map((one) => [one.id, one.open]));
  const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
  place.innerHTML = html;
  for (const [id, open] of touched) {
    const details = document.getElementById(id);
    if (details) { details.open = open; details.dataset.touched = ""; }
  }
  if (focused) document.getElementById(focused)?.focus();
  announce(place);
}

// The live region stays in the page: one that is itself replaced is not read out.
function announce(place) {
  const words = place.querySelector("[data-announce]")?.textContent.trim() ?? "";
  const region = document.getElementById(place.dataset.announcer);
  if (region && region.textContent !== words) region.textContent = words;
}

document.addEventListener("click", (event) => {
  const summary = event.target.closest?.("[data-live] summary");
  if (summary) summary.parentElement.dataset.touched = "";
});
