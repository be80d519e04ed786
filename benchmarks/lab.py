"""A lab: students who sign up at once, and then submit once a minute each. Two thirds of the submissions are wrong.

`python -m benchmarks.lab` takes ten minutes on a server that has prepared everything. With `--fresh` the students come
a minute after the server's first start. `--checkout FOLDER` runs the server of another checkout, with its own `.venv`.
`--write docs/reliability.md` replaces the section "A lab" or "A lab on a new server" of that page.
"""

import argparse
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from app.settings import ROOT
from benchmarks.cpu import Cpu, read_cpu, wait_for_idle_server
from benchmarks.machine import say, saying
from benchmarks.report import show_table
from benchmarks.service import PASSWORD
from tests.serving import Served, serve

STUDENTS, MINUTES, WRONG = 30, 10, 2 / 3
PAUSE_SECONDS = 60.0
EARLY_MINUTES = 5
# From the first start to the students, with --fresh.
AGE_SECONDS = 60.0
PATIENCE_SECONDS = 1800.0
# They use all frameworks.
LAB = (
    "standardize_columns",
    "grad_accumulation_step",
    "layer_norm",
    "train_with_accumulation",
    "microbatched_grads",
    "momentum_sgd",
    "multisteps_fit",
    "layer_norm_torch",
    "grad_accumulation_step_nnx",
    "pairwise_distances",
)
UNSEEN = Path(__file__).with_name("unseen")
# In the fragment of a result: the verdict's title, and a hint.
TITLE = re.compile(r"tone-(?!wait).*?data-announce>([^<]*)<", re.DOTALL)
HINT = 'class="known-mistake"'


@dataclass(frozen=True, slots=True)
class Sources:
    """A problem's solutions: right ones, and those that make a known mistake."""

    slug: str
    right: Sequence[str]
    wrong: Sequence[str]


def read_sources(slug: str, problems: Path) -> Sources:
    known = problems / slug / "submissions"
    right = (*known.glob("accepted/*.py"), *(UNSEEN / slug).glob("*.py"))
    texts = [[path.read_text() for path in sorted(paths)] for paths in (right, known.glob("wrong_answer/*.py"))]
    return Sources(slug, *texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page of a submission showed. The seconds count from sending it; `hint_seconds`: None without a hint."""

    sent_at: float
    verdict: str
    verdict_seconds: float
    hint_seconds: float | None


class Browser:
    """A student's browser, which follows each submission by the event stream of its page."""

    def __init__(self, served: Served, name: str) -> None:
        self._client = httpx.Client(base_url=served.url, timeout=600)
        self._name = name
        self.pages: list[float] = []

    def sign_up(self) -> float:
        begun = time.monotonic()
        self._client.get("/sign-up").raise_for_status()
        answer = self._client.post("/sign-up", data={"username": self._name, "password": PASSWORD})
        assert answer.is_redirect, answer.text
        return time.monotonic() - begun

    def open(self, address: str) -> None:
        begun = time.monotonic()
        self._client.get(address).raise_for_status()
        self.pages.append(time.monotonic() - begun)

    def submit(self, slug: str, source: str) -> Shown | None:
        """Send a solution from its problem's page. Return None if the server refuses it."""
        self.open(f"/problems/{slug}")
        begun = time.monotonic()
        sent = self._client.post(f"/problems/{slug}/submissions", data={"source": source, "mode": "submit"})
        if not sent.is_redirect:
            return None
        self.open(sent.headers["location"])
        return self._follow(sent.headers["location"], begun)

    def _follow(self, address: str, begun: float) -> Shown:
        judged, hinted, fragment = None, None, ""
        for fragment in self._read(f"{address}/events"):
            seconds = time.monotonic() - begun
            judged = judged or (seconds if TITLE.search(fragment) else None)
            hinted = hinted or (seconds if HINT in fragment else None)
        title = TITLE.search(fragment)
        assert title, f"the stream ended without a verdict: {fragment}"
        assert judged is not None
        return Shown(sent_at=begun, verdict=title[1], verdict_seconds=judged, hint_seconds=hinted)

    def _read(self, address: str) -> Iterator[str]:
        """Yield each state of the result, until the last."""
        with self._client.stream("GET", address) as answer:
            answer.raise_for_status()
            data: list[str] = []
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    data.append(line.removeprefix("data: "))
                elif not line and data:
                    yield "\n".join(data)
                    data = []
                elif line == "event: done":
                    return


@dataclass
class Log:
    """`early`: the verdicts of the first minutes. `hintless`: how many known mistakes had no hint, by problem."""

    sign_ups: list[float] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    early: list[float] = field(default_factory=list)
    hintless: Counter[str] = field(default_factory=Counter)
    refused: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    slug: str
    source: str
    is_wrong: bool
    is_early: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lab:
    sources: Sequence[Sources]
    students: int
    minutes: int
    wrong: float

    def run(self, browsers: Sequence[Browser]) -> Log:
        """Let all sign up, and send a solution each minute, spread over it. Nobody waits for an earlier verdict."""
        log, chance, begun = Log(), random.Random(0), time.monotonic()
        with ThreadPoolExecutor(self.students * self.minutes) as pool:
            log.sign_ups += pool.map(Browser.sign_up, browsers)
            sent: list[Future[None]] = []
            for turn in range(self.minutes):
                for number, browser in enumerate(browsers):
                    due = begun + PAUSE_SECONDS * (turn + number / self.students)
                    time.sleep(max(0.0, due - time.monotonic()))
                    attempt = self._choose(self.sources[(number + turn) % len(self.sources)], turn, chance)
                    sent.append(pool.submit(_send, browser, attempt, log))
            for each in sent:
                each.result()
        return log

    def _choose(self, sources: Sources, turn: int, chance: random.Random) -> Attempt:
        is_wrong = chance.random() < self.wrong
        source = chance.choice(sources.wrong if is_wrong else sources.right)
        return Attempt(slug=sources.slug, source=source, is_wrong=is_wrong, is_early=turn < EARLY_MINUTES)


def _send(browser: Browser, attempt: Attempt, log: Log) -> None:
    shown = browser.submit(attempt.slug, attempt.source)
    if shown is None:
        log.refused += 1
        return
    log.shown.append(shown)
    log.hintless[attempt.slug] += attempt.is_wrong and shown.hint_seconds is None
    if attempt.is_early:
        log.early.append(shown.verdict_seconds)


def measure(lab: Lab, checkout: Path, *, is_fresh: bool) -> Iterator[tuple[str, str]]:
    """Start a server with the whole catalogue, and yield the rows of the table."""
    problems = os.environ.get("ALLCLOSE_PROBLEMS", str(checkout / "problems"))
    settings = {"ALLCLOSE_PROBLEMS": problems, "ALLCLOSE_SANDBOX": "bubblewrap"}
    slugs = [sources.slug for sources in lab.sources]
    with (
        tempfile.TemporaryDirectory(prefix="allclose-lab-") as folder,
        serve(Path(folder) / "data", settings, checkout=checkout) as served,
    ):
        if is_fresh:
            time.sleep(AGE_SECONDS)
        else:
            _prepare(served, slugs)
        say("the lab begins")
        browsers = [Browser(served, f"student-{number}") for number in range(lab.students)]
        before = read_cpu(served)
        log = lab.run(browsers)
        ended = time.monotonic()
        idle_at = ended + wait_for_idle_server(served, PATIENCE_SECONDS)
        after = read_cpu(served)
    last_verdict = max(shown.sent_at + shown.verdict_seconds for shown in log.shown)
    yield "lab", _describe(lab, slugs, is_fresh=is_fresh)
    yield from _rows(log, [seconds for browser in browsers for seconds in browser.pages])
    yield (
        "CPU of a submission, until idle",
        _share({kind: after[kind] - before[kind] for kind in after}, len(log.shown)),
    )
    yield "idle after the last verdict", f"{idle_at - last_verdict:.0f} s"


def _prepare(served: Served, slugs: Sequence[str]) -> None:
    with saying("preparing all problems"):
        wait_for_idle_server(served, PATIENCE_SECONDS)
    visitor = Browser(served, "visitor")
    visitor.sign_up()
    for slug in slugs:
        visitor.open(f"/problems/{slug}")
    with saying("preparing the opened ones"):
        wait_for_idle_server(served, PATIENCE_SECONDS)


def _describe(lab: Lab, slugs: Sequence[str], *, is_fresh: bool) -> str:
    when = f"{AGE_SECONDS:.0f} s after the first start" if is_fresh else "everything prepared"
    return f"{lab.students} students, {lab.minutes} minutes, {len(slugs)} problems, {lab.wrong:.0%} wrong; {when}"


def _rows(log: Log, pages: Sequence[float]) -> Iterator[tuple[str, str]]:
    hints = [each.hint_seconds - each.verdict_seconds for each in log.shown if each.hint_seconds is not None]
    verdicts = Counter(each.verdict for each in log.shown)
    yield "verdict, p50, p95 and most", _spread([each.verdict_seconds for each in log.shown])
    yield f"verdict in the first {EARLY_MINUTES} minutes", _spread(log.early)
    yield "sign-up, p50, p95 and most", _spread(log.sign_ups)
    yield "page, p50, p95 and most", _spread(pages)
    yield "hint after its verdict, p50, p95 and most", _spread(hints)
    hintless = ", ".join(f"{count} × {slug}" for slug, count in log.hintless.most_common() if count)
    yield "known mistakes without a hint", hintless or "none"
    yield "refused", str(log.refused)
    yield "verdicts", ", ".join(f"{count} × {verdict}" for verdict, count in verdicts.most_common())


def _spread(seconds: Sequence[float]) -> str:
    """Return the percentiles by the nearest rank."""
    ordered = sorted(seconds)
    if not ordered:
        return "–"
    at = [ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in (50, 95, 100)]
    return f"{', '.join(f'{each:.2f}' for each in at)} s (of {len(ordered)})"


def _share(spent: Cpu, submissions: int) -> str:
    parts = ", ".join(f"{kind} {seconds / submissions:.2f}" for kind, seconds in spent.items())
    return f"{sum(spent.values()) / submissions:.2f} s ({parts})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lab", description=__doc__)
    parser.add_argument("--students", type=int, default=STUDENTS)
    parser.add_argument("--minutes", type=int, default=MINUTES)
    parser.add_argument("--wrong", type=float, default=WRONG, help="the share that repeats a known mistake")
    parser.add_argument("--problem", action="append", help="repeatable; the default is ten problems of all frameworks")
    parser.add_argument("--fresh", action="store_true", help="begin a minute after the first start")
    parser.add_argument("--checkout", type=Path, default=ROOT, help="the checkout whose server is measured")
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    sources = [read_sources(slug, checkout / "problems") for slug in options.problem or LAB]
    lab = Lab(sources=sources, students=options.students, minutes=options.minutes, wrong=options.wrong)
    rows = list(measure(lab, checkout, is_fresh=options.fresh))
    show_table(rows, "A lab on a new server" if options.fresh else "A lab", "benchmarks.lab", options.write)


if __name__ == "__main__":
    main()
