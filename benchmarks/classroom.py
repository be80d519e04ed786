"""A class: students who sign up at once on a new server, open a problem each, and submit.

`python -m benchmarks.classroom` is a first lesson: 30 students with one submission each, a minute after the server's
first start. `--submissions 10 --pause 60 --wrong 0.67` and ten times `--problem` make it a lab of ten minutes.
`--write docs/reliability.md` replaces the section "A class" of that page.
"""

import argparse
import os
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier

import httpx

from app.catalog.package import load_package
from app.judging.verdicts import Verdict
from benchmarks.machine import say
from benchmarks.overload import write_table
from benchmarks.service import PASSWORD, PROBLEMS
from tests.serving import Served, serve

STUDENTS = 30
# From the server's start to the class.
AGE_SECONDS = 60.0
FIRST_PROBLEM = "standardize_columns"
# Students sign up, and each reads the statement so long before the first submission.
READING_SECONDS = 0.0
# In the fragment of a result: the verdict's title, and a hint.
TITLE = re.compile(r"tone-(?!wait).*?data-announce>([^<]*)<", re.DOTALL)
HINT = 'class="known-mistake"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """`wrong`: the share of submissions that repeat a known mistake. `pause_seconds`: from one to the next."""

    problems: Sequence[str]
    students: int = STUDENTS
    submissions: int = 1
    pause_seconds: float = 60.0
    wrong: float = 0.5
    reading_seconds: float = READING_SECONDS


@dataclass(frozen=True, slots=True)
class Sources:
    """A problem's solutions: right ones, and those that make a known mistake."""

    slug: str
    right: Sequence[str]
    wrong: Sequence[str]


@dataclass
class Log:
    """Seconds of each. `hints`: from the verdict of a wrong answer to its hint; `hintless` counts those without one."""

    sign_ups: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    first_verdicts: list[float] = field(default_factory=list)
    later_verdicts: list[float] = field(default_factory=list)
    hints: list[float] = field(default_factory=list)
    hintless: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


def read_sources(slug: str) -> Sources:
    package = load_package(PROBLEMS / slug)
    of = {verdict: [known.source for known in package.submissions if known.verdict is verdict] for verdict in Verdict}
    return Sources(slug, [package.reference, *of[Verdict.ACCEPTED]], of[Verdict.WRONG_ANSWER])


class Pupil:
    """A student in a browser, who follows each submission by the event stream of its page."""

    def __init__(self, number: int, lesson: Lesson, served: Served, log: Log) -> None:
        self._number, self._lesson, self._log = number, lesson, log
        self._browser = httpx.Client(base_url=served.url, timeout=600)
        self._chance = random.Random(number)

    def attend(self, bell: Barrier, sources: Sequence[Sources]) -> None:
        bell.wait()
        self._sign_up()
        begun = time.monotonic() + self._lesson.reading_seconds
        for turn in range(self._lesson.submissions):
            time.sleep(max(0.0, begun + turn * self._lesson.pause_seconds - time.monotonic()))
            self._submit(sources[(self._number + turn) % len(sources)], is_first=turn == 0)

    def _sign_up(self) -> None:
        begun = time.monotonic()
        self._browser.get("/sign-up").raise_for_status()
        form = {"username": f"student-{self._number}", "password": PASSWORD}
        answer = self._browser.post("/sign-up", data=form)
        assert answer.is_redirect, answer.text
        self._log.sign_ups.append(time.monotonic() - begun)

    def _submit(self, sources: Sources, *, is_first: bool) -> None:
        is_wrong = self._chance.random() < self._lesson.wrong
        source = self._chance.choice(sources.wrong if is_wrong else sources.right)
        page, begun = f"/problems/{sources.slug}", time.monotonic()
        self._browser.get(page).raise_for_status()
        self._log.pages.append(time.monotonic() - begun)
        begun = time.monotonic()
        sent = self._browser.post(f"{page}/submissions", data={"source": source, "mode": "submit"})
        assert sent.is_redirect, sent.text
        title, judged, hinted = self._follow(sent.headers["location"])
        (self._log.first_verdicts if is_first else self._log.later_verdicts).append(judged - begun)
        self._log.verdicts[title] += 1
        if hinted is not None:
            self._log.hints.append(hinted - judged)
        elif is_wrong:
            self._log.hintless += 1

    def _follow(self, address: str) -> tuple[str, float, float | None]:
        """Return the verdict's title, and when it and the hint were shown."""
        judged, hinted = None, None
        for fragment in self._read(f"{address}/events"):
            if judged is None and TITLE.search(fragment):
                judged = time.monotonic()
            if hinted is None and HINT in fragment:
                hinted = time.monotonic()
            last = fragment
        title = TITLE.search(last)
        assert title, f"the stream ended without a verdict: {last}"
        assert judged is not None
        return title[1], judged, hinted

    def _read(self, address: str) -> Iterator[str]:
        """Yield each state of the result, until the last."""
        with self._browser.stream("GET", address) as answer:
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


def teach(lesson: Lesson, age_seconds: float) -> list[tuple[str, str]]:
    """Start a server with the whole catalogue, and return the rows of the table."""
    sources, log = [read_sources(slug) for slug in lesson.problems], Log()
    settings = {"ALLCLOSE_PROBLEMS": os.environ.get("ALLCLOSE_PROBLEMS", str(PROBLEMS))}
    with (
        tempfile.TemporaryDirectory(prefix="allclose-class-") as folder,
        serve(Path(folder) / "data", settings) as served,
        ThreadPoolExecutor(lesson.students) as pool,
    ):
        say(f"the server is ready; the class begins in {age_seconds:.0f} s")
        time.sleep(age_seconds)
        bell = Barrier(lesson.students)
        pupils = [Pupil(number, lesson, served, log) for number in range(lesson.students)]
        list(pool.map(lambda pupil: pupil.attend(bell, sources), pupils))
    return list(_rows(lesson, log, age_seconds))


def _rows(lesson: Lesson, log: Log, age_seconds: float) -> Iterator[tuple[str, str]]:
    students = f"{lesson.students} students, {lesson.submissions} submissions each"
    yield "class", f"{students}, {len(lesson.problems)} problems, {age_seconds:.0f} s after the first start"
    yield "sign-up, p50, p95 and most", _spread(log.sign_ups)
    yield "problem's page, p50, p95 and most", _spread(log.pages)
    yield "first verdict, p50, p95 and most", _spread(log.first_verdicts)
    if log.later_verdicts:
        yield "later verdicts, p50, p95 and most", _spread(log.later_verdicts)
    yield "verdicts", ", ".join(f"{count} × {verdict}" for verdict, count in log.verdicts.most_common())
    yield "hints after their verdict, p50, p95 and most", _spread(log.hints)
    yield "known mistakes without a hint", str(log.hintless)


def _spread(seconds: Sequence[float]) -> str:
    """Return the percentiles by the nearest rank."""
    ordered = sorted(seconds)
    if not ordered:
        return "–"
    at = [ordered[max(0, -(-len(ordered) * percent // 100) - 1)] for percent in (50, 95, 100)]
    return f"{', '.join(f'{each:.1f}' for each in at)} s (of {len(ordered)})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.classroom", description=__doc__)
    parser.add_argument("--students", type=int, default=STUDENTS)
    parser.add_argument("--problem", action="append", help=f"repeatable; the default is {FIRST_PROBLEM}")
    parser.add_argument("--submissions", type=int, default=1, help="of each student")
    parser.add_argument("--pause", type=float, default=60.0, help="seconds from one submission to the next")
    parser.add_argument("--wrong", type=float, default=0.5, help="the share that repeats a known mistake")
    parser.add_argument("--reading", type=float, default=READING_SECONDS, help="seconds before the first submission")
    parser.add_argument("--age", type=float, default=AGE_SECONDS, help="seconds from the server's start to the class")
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    options = parser.parse_args()
    lesson = Lesson(
        problems=options.problem or [FIRST_PROBLEM],
        students=options.students,
        submissions=options.submissions,
        pause_seconds=options.pause,
        wrong=options.wrong,
        reading_seconds=options.reading,
    )
    rows = teach(lesson, options.age)
    for name, value in rows:
        print(f"{name:50} {value}")
    if options.write:
        write_table(options.write, "A class", "benchmarks.classroom", rows)


if __name__ == "__main__":
    main()
