"""The worker's loop for similarity checks: one at a time, beside judgings, in boxes that give way to students."""

import threading
from dataclasses import dataclass
from statistics import median_low
from uuid import UUID

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, aliased

from app.database.engine import Database, retry
from app.queue.background_work import lower_priority
from app.queue.heartbeat import Capacity
from app.queue.lease import Claim, end, hold
from app.queue.lease_loop import LeaseLoop, Rhythm
from app.similarity.check import QUEUE
from app.similarity.compare import MOST_PARTS, CohortComparison, Match, Program, compare, leave_out_older
from app.similarity.fingerprint import Fingerprints, Read
from app.similarity.model import SimilarityCheck, SimilarPair
from app.similarity.programs import Chosen, choose_programs, read_own_sources
from sandbox.pool import Pool

MOST_PAIRS = 200


class CheckClaim(Claim):
    """The right of one attempt to make a check."""

    COLUMN = "check_id"
    FAILURE = """
        UPDATE similarity_checks SET outcome = 'failed', finished_at = now(), reason = ended.reason
        FROM ended WHERE similarity_checks.id = ended.check_id
    """

    @property
    def check_id(self) -> UUID:
        return self.watched

    def __str__(self) -> str:
        return f"similarity check {self.check_id}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a check found. `unread`: the submissions without a fingerprint."""

    programs: int
    median_lines: int
    unread: list[UUID]
    comparison: CohortComparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparer:
    """Makes claimed checks. `pool`: boxes for submissions."""

    database: Database
    pool: Pool

    def loop(self, capacity: Capacity, rhythm: Rhythm | None = None) -> LeaseLoop[CheckClaim]:
        """Return the lease loop. `capacity` is that of judgings. It needs 3 more connections to the database."""
        own = Capacity(queues=[QUEUE], slots=1, device=capacity.device, versions=capacity.versions)
        return LeaseLoop(self.database, own, CheckClaim, self.compare, rhythm)

    def compare(self, claim: CheckClaim, abort: threading.Event) -> None:
        """Compare the programs and finish the check. Raises BoxLost, Aborted."""
        lower_priority()
        programs, own_sources = retry(lambda: self._choose(claim), abort)
        fingerprints = Fingerprints(database=self.database, pool=self.pool)
        read = fingerprints.get(
            [each.submission_id for each in programs],
            lambda done: retry(lambda: self._record_step(claim, done, len(programs)), abort),
            abort,
        )
        own = [each.parts for each in fingerprints.make(own_sources, abort)]
        left_out = {part for parts in own if parts is not None for part in parts[:, 0].tolist()}
        compared = _compare(programs, read, left_out)
        retry(lambda: self._finish(claim, compared), abort)

    def _choose(self, claim: CheckClaim) -> tuple[list[Chosen], list[str]]:
        with self.database.transaction() as session:
            check = session.get_one(SimilarityCheck, claim.check_id)
            programs = choose_programs(session, check)
            return programs, read_own_sources(session, check, programs)

    def _record_step(self, claim: CheckClaim, done: int, total: int) -> None:
        """Write the progress, unless the claim has ended."""
        own = update(SimilarityCheck).where(SimilarityCheck.id == claim.check_id)
        with self.database.transaction() as session:
            if hold(session, claim):
                session.execute(own.values(step_done=done, step_total=total))
                session.execute(select(func.pg_notify("progress", str(claim.check_id))))

    def _finish(self, claim: CheckClaim, compared: Compared) -> None:
        """Write what was found and end the job, in one transaction. Writes nothing if another attempt took over."""
        with self.database.transaction() as session:
            job = end(session, claim)
            if job is None:
                return
            check = session.get_one(SimilarityCheck, claim.check_id)
            check.outcome, check.finished_at, check.reason = "done", func.now(), job.reason
            check.programs, check.median_lines = compared.programs, compared.median_lines
            check.unread, check.histogram = compared.unread, list(compared.comparison.histogram)
            for number, match in enumerate(compared.comparison.matches, 1):
                session.add(_pair(check, number, match))
            session.flush()
            _keep_decisions(session, check)


def _compare(programs: list[Chosen], read: dict[UUID, Read], left_out: set[int]) -> Compared:
    found = [(each, read[each.submission_id]) for each in programs if each.submission_id in read]
    readable = [
        Program(submission_id=each.submission_id, user_id=each.user_id, parts=own.parts)
        for each, own in found
        if own.parts is not None
    ]
    return Compared(
        programs=len(readable),
        median_lines=median_low([own.lines for _, own in found]) if found else 0,
        unread=[each.submission_id for each, own in found if own.parts is None],
        comparison=compare(leave_out_older(readable, MOST_PARTS), left_out, MOST_PAIRS),
    )


def _pair(check: SimilarityCheck, number: int, match: Match) -> SimilarPair:
    return SimilarPair(
        check_id=check.id,
        number=number,
        left_id=match.left.submission_id,
        right_id=match.right.submission_id,
        similarity=match.similarity,
        blocks=list(match.blocks),
    )


def _keep_decisions(session: Session, check: SimilarityCheck) -> None:
    """Dismiss the pairs of two submissions that are dismissed in the last check of the same kind."""
    last = (
        select(SimilarityCheck.id)
        .where(
            SimilarityCheck.problem_id == check.problem_id,
            SimilarityCheck.assignment_id.is_not_distinct_from(check.assignment_id),
            SimilarityCheck.outcome == "done",
            SimilarityCheck.id != check.id,
        )
        .order_by(SimilarityCheck.finished_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    old = aliased(SimilarPair)
    same = (old.check_id == last, old.left_id == SimilarPair.left_id, old.right_id == SimilarPair.right_id)
    decided = update(SimilarPair).where(SimilarPair.check_id == check.id, *same, old.dismissed_at.is_not(None))
    values = {"dismissed_at": old.dismissed_at, "dismissed_by": old.dismissed_by, "note": old.note}
    session.execute(decided.values(values), execution_options={"synchronize_session": False})
