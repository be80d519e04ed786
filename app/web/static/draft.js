// Keeps what is typed in this browser, per problem and user, until it is reset to the starter.
for (const area of document.querySelectorAll("textarea[data-draft]")) mount(area);

function mount(area) {
  const status = document.getElementById(area.dataset.draftStatus);
  const starter = document.getElementById(area.dataset.draftStarter).content.textContent;
  const reset = document.getElementById(area.dataset.draftReset);
  const isGiven = area.hasAttribute("data-draft-given"); // an earlier submission was asked for: it wins over the draft

  const say = (words) => {
    status.textContent = words;
    reset.hidden = area.value === starter;
  };
  const keep = () => {
    const kept = area.value === starter ? forget(area.dataset.draft) : store(area.dataset.draft, area.value);
    say(kept ? "Draft kept in this browser" : "");
  };

  const draft = isGiven ? null : load(area.dataset.draft) ?? load(area.dataset.draftAnonymous ?? "");
  if (draft !== null && draft !== area.value) area.value = draft;
  say(draft !== null && draft !== starter ? "Your draft from this browser" : "");

  let timer = 0;
  area.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(keep, 400); });
  area.form?.addEventListener("submit", keep);
  window.addEventListener("pagehide", () => { if (timer) keep(); });
  reset.addEventListener("click", () => {
    area.focus();
    area.select();
    // The old command, because it alone keeps the browser's undo: a reset can be taken back.
    if (!document.execCommand("insertText", false, starter)) area.value = starter;
    area.setSelectionRange(0, 0);
    area.scrollTop = 0;
    keep();
    status.textContent = "Reset to the starter; undo brings your code back";
  });
}

// Storage may be full or forbidden; the page works without it.
function load(key) {
  try { return key ? localStorage.getItem(key) : null; } catch { return null; }
}
function store(key, text) {
  try { localStorage.setItem(key, text); return true; } catch { return false; }
}
function forget(key) {
  try { localStorage.removeItem(key); } catch { /* nothing was kept */ }
  return false;
}
