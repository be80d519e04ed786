"""A real run with two worker processes, and the simulation of the same submissions at the same moments.

Everything shares one machine: the database, the web process, two workers with one slot each, and the clients. So the
simulation lets all of them share its cores. It knows the figures of an idle machine only, and no figure of the run.
"""

import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

import psutil
from sqlalchemy import select

from app.cli.deployment import open_database
from app.settings import read_settings
from app.submissions.model import Judging
from benchmarks.capacity.costs import MEASURED_RUN, RUN_AGE, RUN_CORES, RUN_RATE, RUN_VERDICT, SIMULATED_RUN
from benchmarks.capacity.scenarios import quantiles
from benchmarks.capacity.services import PROBLEMS_FOLDER, WITHOUT_INSPECTION_CACHE
from benchmarks.capacity.simulation import Costs, Fleet, Habits, Simulation
from benchmarks.capacity.steps import cpu_of
from benchmarks.capacity.workload import Problem, Rate, Spread
from benchmarks.machine import Run, saying
from benchmarks.results import Figure, reduce
from benchmarks.service import PREPARED, PREPARING_SECONDS, Exercise
from tests.serving import NO_WORKER, Served, Student, serve

WORKERS = 2
STUDENTS = 40
# The students who send each problem once before the run, so that both workers have boxes and spares.
WARMING, REST_SECONDS = 6, 5.0
# JAX's problems take too long here to give enough submissions in a few minutes.
SHARES = {"numpy": 0.7, "torch": 0.3}
SECONDS, QUICK_SECONDS = 150, 30
# The busiest moment of the pattern, as a share of what the machine can do by the figures measured before.
PEAK = 0.9
SEED = 15
AT_ONCE = Spread([(0, 0.0), (1, 0.0)])

Sent = Sequence[tuple[float, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Seconds to the verdict and in the queue, of all submissions. `ended_at`: seconds until the last verdict."""

    verdicts: Sequence[float]
    ages: Sequence[float]
    ended_at: float


def measure_trial(
    run: Run, kind: str, problems: Mapping[str, Problem], costs: Costs, exercises: Mapping[str, Exercise]
) -> list[Figure]:
    """Run the pattern for real and in the simulation, and return the figures of both."""
    chosen = [replace(problems[framework], weight=share) for framework, share in SHARES.items()]
    sent = make_pattern(chosen, costs, QUICK_SECONDS if run.is_quick else SECONDS)
    simulated = simulate(sent, chosen, costs)
    text = f"{len(sent)} submissions in {sent[-1][0]:.0f} s, {WORKERS} workers"
    with _serving_two_workers(run, kind) as server, saying(text):
        measured, cores = _replay(server, sent, {exercises[each].slug: exercises[each] for each in SHARES})
    figures = [*_figures(MEASURED_RUN, measured), *_figures(SIMULATED_RUN, simulated)]
    return [*figures, reduce([cores], what=RUN_CORES, series=MEASURED_RUN, at="of the run", unit="cores")]


def make_pattern(problems: Sequence[Problem], costs: Costs, seconds: float) -> list[tuple[float, str]]:
    """Return the moments and problems of the submissions: up to the busiest moment and down again, twice."""
    chance = random.Random(SEED)
    core_seconds = sum(each.weight * _core_seconds(each, costs) for each in problems)
    slot_seconds = sum(each.weight * _slot_seconds(each) for each in problems)
    peak = PEAK * min(len(os.sched_getaffinity(0)) / core_seconds, WORKERS / slot_seconds)
    tops = [(0.0, 0.2), (0.25, 1.0), (0.5, 0.2), (0.75, 1.0), (1.0, 0.2)]
    rate = Rate([(share * seconds, part * peak) for share, part in tops])
    weights = [each.weight for each in problems]
    return [(second, chance.choices(problems, weights)[0].slug) for second in rate.arrivals(chance)]


def _slot_seconds(problem: Problem) -> float:
    chance = random.Random(SEED)
    return statistics.mean(problem.in_warm_box.draw(chance) for _ in range(200))


def _core_seconds(problem: Problem, costs: Costs) -> float:
    steps = (costs.send, costs.result, costs.record, costs.finish, costs.claim)
    looks = costs.notifications * costs.progress.seconds
    return _slot_seconds(problem) * problem.cores + sum(step.seconds for step in steps) + looks


def simulate(sent: Sent, problems: Sequence[Problem], costs: Costs) -> Times:
    cores = len(os.sched_getaffinity(0))
    fleet = Fleet(workers=WORKERS, slots=1, cores=cores, database_cores=cores, shared_cores=True)
    log = Simulation(fleet, problems, Habits(reading=AT_ONCE, thinking=AT_ONCE), costs, seed=SEED).replay(
        sent, users=[number % STUDENTS for number in range(len(sent))]
    )
    return Times(
        verdicts=[seconds for _, seconds in log.verdicts],
        ages=[age for _, age in log.ages],
        ended_at=max(at for at, _ in log.verdicts),
    )


@contextmanager
def _serving_two_workers(run: Run, kind: str) -> Iterator[Served]:
    """Serve on the data of the measurement before, whose problems are prepared, with two workers of one slot each."""
    settings = {
        "ALLCLOSE_PROBLEMS": str(run.folder / PROBLEMS_FOLDER),
        "ALLCLOSE_SANDBOX": kind,
        "ALLCLOSE_OPTIMIZATIONS": ",".join(WITHOUT_INSPECTION_CACHE),
        "ALLCLOSE_DATA": str(run.folder / "data"),
    }
    data = run.folder / "data"
    with serve(data, settings, options=NO_WORKER) as server:
        logs = [run.folder / f"worker-{number}.log" for number in range(WORKERS)]
        command = [sys.executable, "-u", "-m", "app.cli", "worker", "--slots", "1"]
        workers = [_start(command, settings, log) for log in logs]
        try:
            _wait_until_prepared(logs)
            yield server
        finally:
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait()


def _start(command: Sequence[str], settings: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as written:
        return subprocess.Popen(command, env={**os.environ, **settings}, stdout=written, stderr=subprocess.STDOUT)


def _wait_until_prepared(logs: Sequence[Path]) -> None:
    until = time.monotonic() + PREPARING_SECONDS
    while not all(PREPARED in log.read_text() for log in logs):
        assert time.monotonic() < until, "\n".join(log.read_text()[-1000:] for log in logs)
        time.sleep(0.5)


def _replay(server: Served, sent: Sent, exercises: Mapping[str, Exercise]) -> tuple[Times, float]:
    """Send the pattern as students over HTTP. Return its times, and how many cores were busy."""
    students = [server.sign_up() for _ in range(STUDENTS)]
    for exercise in exercises.values():
        for student in students[:WARMING]:
            _submit(student, exercise)
    time.sleep(REST_SECONDS)
    # The server and the workers are children of this process, and PostgreSQL is one of the server.
    everything = psutil.Process()
    begun, started = cpu_of(everything), time.monotonic()

    def send_at(number: int) -> tuple[str, float, float]:
        second, slug = sent[number]
        time.sleep(max(0.0, started + second - time.monotonic()))
        at = time.monotonic()
        submission = _submit(students[number % STUDENTS], exercises[slug])
        return submission, time.monotonic() - started, time.monotonic() - at

    with ThreadPoolExecutor(len(sent)) as pool:
        ended = list(pool.map(send_at, range(len(sent))))
    cores = (cpu_of(everything) - begun) / (time.monotonic() - started)
    return Times(
        verdicts=[seconds for _, _, seconds in ended],
        ages=_read_ages(server.data, [submission for submission, _, _ in ended]),
        ended_at=max(at for _, at, _ in ended),
    ), cores


def _submit(student: Student, exercise: Exercise) -> str:
    submission = student.send(exercise.slug, exercise.source)
    view = student.result(submission)
    assert view["verdict"] == "accepted", f"a correct solution got {view['verdict']}"
    return submission


def _read_ages(data: Path, submissions: Sequence[str]) -> list[float]:
    """Return how long each judging was in the queue."""
    with open_database(read_settings(data=data)) as database, database.transaction() as session:
        wanted = select(Judging).where(Judging.submission_id.in_([UUID(each) for each in submissions]))
        judgings = session.scalars(wanted).all()
        return [(each.started_at - each.queued_at).total_seconds() for each in judgings if each.started_at]


def _figures(series: str, times: Times) -> list[Figure]:
    kinds = {RUN_VERDICT: quantiles(times.verdicts), RUN_AGE: quantiles(times.ages)}
    figures = [
        reduce([value], what=what, series=series, at=f"p{100 * share:.0f}")
        for what, found in kinds.items()
        for share, value in found.items()
    ]
    number = len(times.verdicts)
    rate = reduce(
        [number / times.ended_at], what=RUN_RATE, series=series, at=f"{number} submissions", unit="verdicts/s"
    )
    return [*figures, rate]
