"""Record the cost of accepted solutions, and of the reference on the same machine, for leaderboards.

A solution's time is what its judging measured. The reference is run only for this: once per revision and machine, on
the inputs of the variant that was accepted first. It runs as background work, which pauses before its next case while
students hold half of the slots.
"""

import logging
import platform
import socket
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from app.database.engine import Database
from app.engine.boxes import box_spec
from app.engine.job import Outcomes
from app.engine.request import build_request, patient, recorded, run_all
from app.judging.verdicts import Verdict
from app.submissions.judging_record import JudgingClaim
from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.worker.expected import ExpectedOutputs
from app.worker.middleware import Judge, JudgingResult, Middleware
from app.worker.work import Work
from sandbox.interface import CaseOutcome, Ending

_log = logging.getLogger(__name__)


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


# Runs a step when students leave room. `what`: its subject, for the log.
Later = Callable[[str, Callable[[threading.Event], object]], object]


class CostRecorder(Middleware):
    """`later`: runs the reference."""

    def __init__(self, database: Database, expected: ExpectedOutputs, machine: str, later: Later) -> None:
        self._database, self._expected = database, expected
        self._machine, self._later = machine, later
        self._waiting: set[tuple[UUID, str]] = set()

    def around(self, judge: Judge, claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        """Store the cost of an accepted submission after its verdict."""
        judged = judge(claim, abort)
        work, finish = judged.work, judged.finish
        is_whole = judged.is_written and work.submission.mode == "submit" and not work.package.manifest.is_interpreted
        cost = cost_of(judged.outcomes.costs, _called(work)) if finish.verdict is Verdict.ACCEPTED else None
        if is_whole and cost is not None:
            machine = f"{self._machine}, {finish.image}"  # the image names the libraries' versions
            key = {"judging_id": claim.judging_id, "revision_id": work.revision.id, "machine": machine}
            try:
                self._store(Measurement, cost, **key)
                self._run_reference_later(work, machine)
            except Exception:
                _log.exception("%s is not on the leaderboard", claim)
        return judged

    def _run_reference_later(self, work: Work, machine: str) -> None:
        if (key := (work.revision.id, machine)) not in self._waiting:
            self._waiting.add(key)
            self._later(f"the reference's cost for {work.package.slug}", partial(self._run_reference, work, machine))

    def _run_reference(self, work: Work, machine: str, abort: threading.Event) -> None:
        """Raises JudgeFailed, BoxLost, Aborted. What fails is tried again after the next accepted submission."""
        try:
            if not self._is_measured(work, machine) and (cost := self._measure_reference(work, abort)) is not None:
                self._store(ReferenceMeasurement, cost, revision_id=work.revision.id, machine=machine)
        finally:
            self._waiting.discard((work.revision.id, machine))

    def _measure_reference(self, work: Work, abort: threading.Event) -> Cost | None:
        """Run the reference in one process, in a box that never holds a submission."""
        package, manifest = work.package, work.package.manifest
        cases = self._expected.get(work.revision, package, work.variant, abort)
        inputs = [case.input for case in cases if not case.sealed]
        request = recorded(manifest, patient(build_request(package, package.reference, inputs)))
        outcomes = Outcomes()
        with self._expected.references.lease(box_spec(manifest), abort) as box:
            run_all(box, request, outcomes.add, abort)
        return cost_of(outcomes.costs, [case.name for case in inputs])

    def _is_measured(self, work: Work, machine: str) -> bool:
        with self._database.transaction() as session:
            return session.get(ReferenceMeasurement, (work.revision.id, machine)) is not None

    def _store(self, table: type[Measurement | ReferenceMeasurement], cost: Cost, **key: object) -> None:
        with self._database.transaction() as session:
            session.execute(insert(table).values(**key, **asdict(cost)).on_conflict_do_nothing())


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
