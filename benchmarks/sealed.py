"""Sealed cases: how long a hundred random ones of one shape take once their program is compiled."""

import threading
import time
from contextlib import closing

from app.catalog.package import load_package
from app.settings import ROOT, Settings
from app.submissions.series import series_of
from app.worker.boxes import CORES_PER_BOX
from app.worker.judge import Job, judge
from app.worker.prepare import Draw, prepare
from benchmarks.report import report
from sandbox.choice import choose_launcher
from sandbox.interface import CaseOutcome
from sandbox.pool import Pool

SLUG = "microbatched_grads"
SERIES = "random"
JUDGINGS = 5


def measure_sealed() -> None:
    package = load_package(ROOT / "problems" / SLUG)
    source = next(known.source for known in package.submissions if known.verdict == "accepted")
    never = threading.Event()
    launcher = choose_launcher(Settings().sandbox, ROOT / ".runtime", cores_per_box=CORES_PER_BOX)
    with (
        closing(Pool(launcher, capacity=1, max_runs=1000)) as students,
        closing(Pool(launcher, capacity=1, max_runs=1000)) as inspectors,
    ):
        cases = prepare(package, Draw(b"bench", 0), students, never).cases
        taken = []
        for _ in range(JUDGINGS):
            clock = _Clock()
            job = Job(package=package, source=source, cases=cases, inspectors=inspectors, on_outcome=clock.note)
            judge(job, students, lambda _result: None, never)
            taken.append(clock.seconds)
        report(f"{len(clock.times)} sealed cases of one shape, the first apart, checked and told", taken)


class _Clock:
    """The first answer comes when the program is compiled; what is measured is the rest."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def note(self, outcome: CaseOutcome) -> None:
        if series_of(outcome.name) == SERIES:
            self.times.append(time.perf_counter())

    @property
    def seconds(self) -> float:
        return self.times[-1] - self.times[0]
