"""The part `capacity` of `make bench`: the cost of each step, and how long a judging holds its slot.

docs/operations/capacity.md calculates deployments from these figures.
"""

import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import psutil
from sqlalchemy import select

from app.cli.deployment import open_database
from app.database.listener import Listener
from app.engine.boxes import box_spec, open_launcher
from app.settings import OPTIMIZATIONS, read_settings
from app.submissions.model import Judging
from benchmarks.cpu import cpu_of
from benchmarks.machine import Run, say, saying
from benchmarks.results import Figure, reduce
from benchmarks.service import Exercise, Service, Visitor, leave_one_out, list_kinds, serving
from benchmarks.steps import measure_steps
from tests.serving import SLUG

# One problem for each framework.
MEASURED = {"numpy": SLUG, "torch": "train_with_accumulation", "jax": "multisteps_schedule"}
SLOT, SLOT_CORES, LAUNCH = "seconds in a slot", "cores in a slot", "launch of a box"
WARM, NOTIFICATIONS = "in a warm box", "notifications of a judging"
PROBLEMS_FOLDER = "capacity-problems"
LAUNCHES = 5


def measure(run: Run) -> tuple[list[Figure], list[str]]:
    """Return the figures, and a note for each kind of box that this machine can't open."""
    own = replace(run, folder=run.folder / "capacity")
    [kind, *_], notes = list_kinds()
    exercises = leave_one_out(list(MEASURED.values()), own.folder / PROBLEMS_FOLDER)
    figures = measure_steps(own.folder / "steps", is_quick=run.is_quick)
    return [*figures, *measure_slots(own, kind, exercises)], notes


def measure_slots(run: Run, kind: str, exercises: Sequence[Exercise]) -> list[Figure]:
    """Measure a problem of each framework: the time in a slot, and the launch of a box."""
    figures: list[Figure] = []
    with serving(run, run.folder / PROBLEMS_FOLDER, kind, OPTIMIZATIONS) as service:
        for framework, exercise in zip(MEASURED, exercises, strict=True):
            figures += _slot(service, framework, exercise, run.repeat)
    launcher = open_launcher(read_settings(sandbox=kind), cache=None)
    for framework, exercise in zip(MEASURED, exercises, strict=True):
        seconds = []
        for _ in range(LAUNCHES):
            begun = time.perf_counter()
            launcher.launch(box_spec(exercise.package.manifest)).close()
            seconds.append(time.perf_counter() - begun)
        figures.append(reduce(seconds, what=LAUNCH, series=kind, at=framework))
    return figures


def _slot(service: Service, framework: str, exercise: Exercise, repeat: int) -> list[Figure]:
    worker = psutil.Process(service.server.worker_pids()[0])
    visitor = Visitor(service)
    with saying(f"{exercise.slug}: preparing for submissions"):
        visitor.open(exercise)
        visitor.submit(exercise)
        visitor.open(exercise)
    seconds, cores, notified = [], [], []
    for _ in range(repeat):
        begun = cpu_of(worker)
        with _hearing_progress(service) as heard:
            submission = visitor.send(exercise)
            visitor.wait(submission)
        ended = cpu_of(worker)
        visitor.open(exercise)
        held = _held_seconds(service, submission)
        seconds.append(held)
        cores.append((ended - begun) / held)
        notified.append(heard.count(submission))
    say(f"  {exercise.slug}: {statistics.median(seconds):.2f} s in the slot")
    return [
        reduce(seconds, what=SLOT, series=WARM, at=framework),
        reduce(cores, what=SLOT_CORES, series=WARM, at=framework, unit="cores"),
        reduce(notified, what=NOTIFICATIONS, series=WARM, at=framework, unit="notifications"),
    ]


@contextmanager
def _hearing_progress(service: Service) -> Iterator[list[str | None]]:
    heard: list[str | None] = []
    with open_database(read_settings(data=service.server.data)) as database:
        listener = Listener(database.url, "progress", heard.append)
        listener.start()
        while not heard:  # it reports its connection with None
            time.sleep(0.01)
        try:
            yield heard
        finally:
            listener.stop()


def _held_seconds(service: Service, submission: str) -> float:
    """Return how long the worker held the submission's judging."""
    with open_database(read_settings(data=service.server.data)) as database, database.transaction() as session:
        judging = session.scalars(select(Judging).where(Judging.submission_id == UUID(submission))).one()
        assert judging.finished_at is not None
        assert judging.started_at is not None
        return (judging.finished_at - judging.started_at).total_seconds()
