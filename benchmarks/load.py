"""Load by many students at once: submissions per second, and the latency of pages meanwhile."""

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from benchmarks.machine import Run, cost_of, cpu_seconds, saying, seconds_of
from benchmarks.results import Figure, key_of, reduce
from benchmarks.service import Case, Exercise, Service, Visitor, leave_one_out, list_kinds, serving
from benchmarks.verdicts import run_process

# The students who send a burst together.
SENDERS = 8
READING_SECONDS = 30
PAUSE_SECONDS = 0.1
RATE = "submissions/s"
OPTIMIZED, PLAIN, FRESH = "all optimizations", "no optimizations", "fresh processes"
IDLE, BUSY = "idle", "while judging"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """The size of a measurement.

    `submissions`: of all students together, for each number of students. `fresh`: the fresh processes that stand for a
    burst.
    """

    slug: str
    students: Sequence[int]
    submissions: int
    burst: int
    fresh: int


# JAX gets fewer submissions, because each takes several times as long.
TORCH, JAX = "train_with_accumulation", "multisteps_schedule"
WHOLE = (
    Size(slug=TORCH, students=(1, 2, 4, 8), submissions=40, burst=200, fresh=20),
    Size(slug=JAX, students=(1, 2, 4, 8), submissions=16, burst=24, fresh=8),
)
QUICK = (Size(slug=TORCH, students=(1, 2), submissions=4, burst=10, fresh=4),)


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Send the submissions of each `Size`. `run.repeat` is ignored."""
    sizes, problems = QUICK if run.is_quick else WHOLE, run.folder / "load"
    exercises = leave_one_out([size.slug for size in sizes], problems)
    kinds, notes = list_kinds()
    figures: list[Figure] = []
    with serving(run, problems, kinds[0]) as service:
        for exercise, size in zip(exercises, sizes, strict=True):
            for students in size.students:
                figures += _at_once(_visitors(service, students), exercise, size.submissions)
        [reader], senders = _visitors(service, 1), _visitors(service, SENDERS)
        with _reading(reader, exercises[0]) as idle, saying(f"reading pages for {READING_SECONDS} s"):
            time.sleep(READING_SECONDS)
        for exercise in exercises:  # before the reading, which leaves no idle moment to wait for
            senders[0].open(exercise)
        with _reading(reader, exercises[0]) as busy:
            for exercise, size in zip(exercises, sizes, strict=True):
                figures += _burst(senders, exercise, OPTIMIZED, size.burst)
        figures += [*_latencies(IDLE, idle), *_latencies(BUSY, busy)]
        cases = [service.read_cases(exercise) for exercise in exercises]
    with serving(run, problems, kinds[0], optimizations=()) as service:
        senders = _visitors(service, SENDERS)
        for exercise, size in zip(exercises, sizes, strict=True):
            senders[0].open(exercise)
            figures += _burst(senders, exercise, PLAIN, size.burst)
    for exercise, given, size in zip(exercises, cases, sizes, strict=True):
        figures += _fresh(exercise, given, size)
    return figures, notes


def _visitors(service: Service, count: int) -> list[Visitor]:
    return [Visitor(service) for _ in range(count)]


def _at_once(visitors: Sequence[Visitor], exercise: Exercise, submissions: int) -> list[Figure]:
    """Let each student send the next solution after the verdict of the last one."""
    students = len(visitors)
    visitors[0].open(exercise)
    seconds: list[float] = []
    ended = threading.Event()

    def work(visitor: Visitor) -> None:
        for _ in range(submissions // students):
            if not ended.is_set():
                seconds.append(seconds_of(lambda: visitor.submit(exercise)))

    with saying(f"{exercise.slug}: {students} students at once, {submissions} submissions"):
        cpu, begun = cpu_seconds(), time.perf_counter()
        with ThreadPoolExecutor(students) as pool:
            try:
                list(pool.map(work, visitors))
            finally:
                ended.set()
        taken, cpu = time.perf_counter() - begun, cpu_seconds() - cpu
    series = exercise.slug
    return [
        reduce(samples, what=what, series=series, at=students, unit=unit, versus=key_of(what, series, 1))
        for what, samples, unit in (
            ("throughput", [submissions / taken], RATE),
            ("verdict under load", seconds, "s"),
            ("CPU under load", [cpu / submissions], "s"),
        )
    ]


def _burst(visitors: Sequence[Visitor], exercise: Exercise, series: str, count: int) -> list[Figure]:
    def all_at_once() -> None:
        senders = [visitors[number % len(visitors)] for number in range(count)]
        for visitor, submission in [(visitor, visitor.send(exercise)) for visitor in senders]:
            visitor.wait(submission)

    with saying(f"{exercise.slug}: a burst of {count}, {series}"):
        cost = cost_of(all_at_once)
    return _burst_figures(series, f"{count} of {exercise.slug}", count / cost.wall_seconds, cost.cpu_seconds / count)


def _fresh(exercise: Exercise, cases: Sequence[Case], size: Size) -> list[Figure]:
    cores = len(os.sched_getaffinity(0))

    def all_of_them() -> None:
        with ThreadPoolExecutor(cores) as pool:
            list(pool.map(lambda _: run_process(exercise, cases, 1), range(size.fresh)))

    with saying(f"{exercise.slug}: {size.fresh} fresh processes, {cores} at once"):
        cost = cost_of(all_of_them)
    at = f"{size.burst} of {exercise.slug}"
    return _burst_figures(FRESH, at, size.fresh / cost.wall_seconds, cost.cpu_seconds / size.fresh)


def _burst_figures(series: str, at: str, rate: float, cpu: float) -> list[Figure]:
    return [
        reduce([sample], what=what, series=series, at=at, unit=unit, versus=key_of(what, FRESH, at))
        for what, sample, unit in (("burst", rate, RATE), ("burst CPU", cpu, "s"))
    ]


@contextmanager
def _reading(visitor: Visitor, exercise: Exercise) -> Iterator[Mapping[str, list[float]]]:
    """Read a page and the API during the block, with pauses, and collect the seconds of each request."""
    submission = visitor.send(exercise)
    visitor.wait(submission)
    visitor.open(exercise)
    requests = {
        "problem page": lambda: visitor.browser.get(f"/problems/{exercise.slug}"),
        "submission by API": lambda: visitor.student.client.get(f"/submissions/{submission}"),
    }
    samples: dict[str, list[float]] = {name: [] for name in requests}
    ended = threading.Event()

    def read() -> None:
        while not ended.wait(PAUSE_SECONDS):
            for name, request in requests.items():
                samples[name].append(seconds_of(lambda request=request: request().raise_for_status()))  # type: ignore[misc]

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield samples
    finally:
        ended.set()
        reader.join()


def _latencies(series: str, samples: Mapping[str, Sequence[float]]) -> list[Figure]:
    return [
        reduce(
            [second * 1000 for second in seconds],
            what="latency",
            series=series,
            at=name,
            unit="ms",
            versus=key_of("latency", IDLE, name),
        )
        for name, seconds in samples.items()
    ]
