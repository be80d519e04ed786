"""Record the cost of accepted solutions, and of the reference on the same machine, for leaderboards.

A solution's time is what its judging measured. The reference is run only for this: after a verdict, in a separate
thread, once per revision and machine, on the inputs of the variant that was accepted first. It waits until the worker
has had no judging for a while, and pauses before its next case while there is one, because it would take a core from
the submission. Rejudgings and other work in the background do not count.
"""

import math
import platform
import socket
import threading
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from sqlalchemy.dialects.postgresql import insert

from app.database.engine import Database
from app.engine.boxes import box_spec
from app.engine.job import Outcomes
from app.engine.request import build_request, patient, recorded, run_all
from app.judging.verdicts import Verdict
from app.submissions.judging_record import JudgingClaim
from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.worker.after_verdict import AfterVerdict
from app.worker.expected import ExpectedOutputs
from app.worker.middleware import Judge, JudgingResult, Middleware
from app.worker.work import Work
from sandbox.interface import Aborted, CaseOutcome, Ending, ObservedQueue

# The reference runs after this time without a judging. It waits at most LONGEST_WAIT_SECONDS for that.
IDLE_SECONDS = 3.0
LONGEST_WAIT_SECONDS = 60.0
LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of all calls: the sum of their times, and the peak memory."""

    wall_seconds: float
    memory_bytes: int


def cost_of(outcomes: Mapping[str, CaseOutcome], cases: Collection[str]) -> Cost | None:
    """Return None if a case is missing or was not answered, or there are none."""
    found = [outcomes[name] for name in cases if name in outcomes]
    if not found or len(found) < len(cases) or any(each.ending is not Ending.ANSWERED for each in found):
        return None
    return Cost(
        wall_seconds=sum(each.wall_seconds for each in found),
        memory_bytes=max(each.memory_bytes for each in found),
    )


class CostRecorder(Middleware):
    """`idle_seconds`: the reference runs after this time without a judging."""

    def __init__(
        self,
        database: Database,
        expected: ExpectedOutputs,
        machine: str,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._database = database
        self._expected = expected
        self._machine = machine
        self._judgings = _Judgings(idle_seconds)
        self._solutions = AfterVerdict("costs", "is not on the leaderboard")
        self._references = AfterVerdict("reference costs", "adds no run of the reference")

    def start(self) -> None:
        self._solutions.start()
        self._references.start()

    def stop(self) -> None:
        """Judgings that still wait are not measured."""
        self._references.stop()
        self._solutions.stop()

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        """Measure an accepted submission after its verdict. Skipped if too many wait."""
        with nullcontext() if claim.is_background else self._judgings.one():
            judged = judge(claim, abort)
        is_whole = judged.is_written and judged.work.submission.mode == "submit"
        is_whole = is_whole and not judged.work.package.manifest.is_interpreted
        if is_whole and judged.finish.verdict is Verdict.ACCEPTED:
            cost = cost_of(judged.outcomes.costs, _called(judged.work))
            machine = f"{self._machine}, {judged.finish.image}"  # the image names the libraries' versions
            if cost is not None:
                self._solutions.offer(claim, partial(self._store, claim, judged.work, machine, cost))
                self._references.offer(claim, partial(self._run_reference, judged.work, machine))
        return judged

    def _run_reference(self, work: Work, machine: str) -> None:
        """Raises JudgeFailed, BoxLost, Aborted."""
        if self._is_measured(work, machine):
            return
        self._judgings.wait_for_rest(self._references.stopping)
        if self._is_measured(work, machine):  # other workers of this machine have waited too
            return
        reference = self._measure_reference(work)
        if reference is not None:
            self._store_reference(work, machine, reference)

    def _measure_reference(self, work: Work) -> Cost | None:
        """Run the reference in one process, in a box that never holds a submission."""
        package, manifest, stopping = work.package, work.package.manifest, self._references.stopping
        cases = self._expected.get(work.revision, package, work.variant, stopping)
        inputs = [case.input for case in cases if not case.sealed]
        request = recorded(manifest, patient(build_request(package, package.reference, inputs)))
        request = replace(
            request, queue=ObservedQueue(request.to_take(), lambda _: self._judgings.wait_for_none(stopping))
        )
        outcomes = Outcomes()
        with self._expected.references.lease(box_spec(manifest), stopping) as box:
            run_all(box, request, outcomes.add, stopping)
        return cost_of(outcomes.costs, [case.name for case in inputs])

    def _is_measured(self, work: Work, machine: str) -> bool:
        with self._database.transaction() as session:
            return session.get(ReferenceMeasurement, (work.revision.id, machine)) is not None

    def _store(self, claim: JudgingClaim, work: Work, machine: str, cost: Cost) -> None:
        row = insert(Measurement).values(
            judging_id=claim.judging_id,
            revision_id=work.revision.id,
            machine=machine,
            wall_seconds=cost.wall_seconds,
            memory_bytes=cost.memory_bytes,
        )
        with self._database.transaction() as session:
            session.execute(row.on_conflict_do_nothing())

    def _store_reference(self, work: Work, machine: str, cost: Cost) -> None:
        row = insert(ReferenceMeasurement).values(
            revision_id=work.revision.id,
            machine=machine,
            wall_seconds=cost.wall_seconds,
            memory_bytes=cost.memory_bytes,
        )
        with self._database.transaction() as session:
            session.execute(row.on_conflict_do_nothing())


class _Judgings:
    """Knows how long no judging that a student waits for has run."""

    def __init__(self, idle_seconds: float) -> None:
        self._idle_seconds = idle_seconds
        self._changing = threading.Lock()
        self._running, self._ended_at = 0, -math.inf

    @contextmanager
    def one(self) -> Iterator[None]:
        with self._changing:
            self._running += 1
        try:
            yield
        finally:
            with self._changing:
                self._running, self._ended_at = self._running - 1, time.monotonic()

    def wait_for_rest(self, abort: threading.Event) -> None:
        """Wait until no judging has run for the idle time, at most the longest wait. Raises Aborted."""
        self._wait(self._idle_seconds, abort)

    def wait_for_none(self, abort: threading.Event) -> None:
        """Wait until no judging runs, at most the longest wait. Raises Aborted."""
        self._wait(0.0, abort)

    def _wait(self, idle_seconds: float, abort: threading.Event) -> None:
        until = time.monotonic() + LONGEST_WAIT_SECONDS
        while not self._have_rested(idle_seconds) and time.monotonic() < until:
            if abort.wait(LOOK_SECONDS):
                raise Aborted

    def _have_rested(self, idle_seconds: float) -> bool:
        with self._changing:
            return self._running == 0 and time.monotonic() - self._ended_at >= idle_seconds


def _called(work: Work) -> list[str]:
    """Return the cases that are called: sealed cases run in other boxes, unmeasured."""
    return [case.name for case in work.package.manifest.cases if not case.sealed]


def name_machine(gpus: Sequence[str] = ()) -> str:
    """Return a name that is equal for workers whose times may be compared, with the same libraries."""
    return ", ".join([socket.gethostname(), _processor(), *gpus])


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
