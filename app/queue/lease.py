"""Leases on judgings: the steps of a job's life, each one a transaction. A judging's row is its job.

A worker holds a judging until `lease_until`, and extends the lease with each beat. A claim raises `attempt`, and every
later write names the attempt. So a frozen worker that wakes after another took over writes nothing. Expired leases need
no sweeper, because claims include them. Only the database's clock is used, and if it is set back, the leases of before
are over. `reason` collects the errors of all
attempts, for admins.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from threading import Event
from typing import Generic, TypeVar
from uuid import UUID

from sqlalchemy import TextClause, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.engine import Database
from app.judging.finish import Finish
from app.judging.phase import Phase
from app.judging.printable_text import printable
from app.judging.verdicts import CaseResult
from app.queue import lease_sql
from app.queue.retry import NEVER, retry, retry_briefly
from app.submissions.enqueue import JUDGING_CHANNEL
from app.submissions.model import CaseRow

REASON_CHARACTERS = 8192
C = TypeVar("C")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to judge, which ends when a later attempt begins. Background claims give way to others."""

    judging_id: int
    attempt: int
    submission_id: UUID
    is_background: bool = False

    def __str__(self) -> str:
        return f"judging {self.judging_id}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a worker is ready to take: at most `slots` jobs of these queues, each held for `lease`.

    `background`: at most so many of them may be background jobs, if others leave room. `preemptible`: slots held by
    background jobs that give way, but only to other jobs.
    """

    queues: Sequence[str]
    slots: int
    worker: str
    lease: timedelta
    background: int = 0
    preemptible: int = 0

    @property
    def values(self) -> dict[str, object]:
        return {**asdict(self), "queues": list(self.queues)}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind(Generic[C]):
    """A kind of job rows and the steps of their life; the functions below are those of judgings.

    `C` is the claim on one attempt, and its text names the job. `channel`: the NOTIFY channel for new jobs.
    `is_background`: whether a job gives way to others.
    """

    channel: str
    claim: Callable[[Session, Wanted], list[C]]
    beat: Callable[[Session, Collection[C], timedelta], set[C]]
    bury: Callable[[Session], int]
    fail: Callable[[Database, C, str, Event], None]
    give_back: Callable[[Database, C], None]
    is_background: Callable[[C], bool] = lambda _: False


def claim(session: Session, wanted: Wanted) -> list[Claim]:
    """Take judgings that wait, or whose worker stopped beating: highest priority first, then the oldest."""
    return [
        Claim(judging_id=row.id, attempt=row.attempt, submission_id=row.watched, is_background=row.is_background)
        for row in session.execute(lease_sql.JUDGING.claim, wanted.values)
    ]


def beat(session: Session, claims: Collection[Claim], lease: timedelta) -> set[Claim]:
    """Extend the leases. Return the claims to abort: taken over by another worker, or cancelled."""
    held = list(claims)
    values = {"ids": [c.judging_id for c in held], "attempts": [c.attempt for c in held], "lease": lease}
    rows = session.execute(lease_sql.JUDGING.beat, values)
    kept = {(row.id, row.attempt) for row in rows if not row.cancel_requested}
    return {c for c in held if (c.judging_id, c.attempt) not in kept}


def bury(session: Session) -> int:
    """End judgings whose last attempt's worker stopped beating, as judge_error. Return how many."""
    return len(session.execute(lease_sql.JUDGING.bury).all())


def record_cases(session: Session, claim: Claim, results: Sequence[CaseResult]) -> None:
    """Store results before the judging is done, unless it was cancelled or removed.

    Rows of a superseded attempt are written but never shown.
    """
    if session.execute(lease_sql.STILL_COUNTS, {"id": claim.judging_id}).first() is None:
        return
    first = _next_sequence(session, claim)
    rows = [_row(claim, result, first + index) for index, result in enumerate(results)]
    session.execute(insert(CaseRow).on_conflict_do_nothing(), rows)
    session.execute(lease_sql.NOTIFY_PROGRESS, {"submission_id": str(claim.submission_id)})


def record_phases(session: Session, claim: Claim, phases: Sequence[Phase]) -> None:
    """Store the current phases; does nothing if another attempt has taken over."""
    session.execute(lease_sql.RECORD_PHASES, {**_key(claim), "phases": _as_json(phases)})


def is_cancelled(database: Database, claim: Claim) -> bool:
    with database.transaction() as session:
        return session.execute(lease_sql.IS_CANCELLED, {"id": claim.judging_id}).first() is not None


def finish(database: Database, claim: Claim, outcome: Finish, abort: Event = NEVER) -> bool:
    """Write the verdict and all results and end the judging, in one COMMIT. False: superseded, nothing was written.

    Retries while the database is away, until `abort` is set.
    """
    return retry(lambda: _finish(database, claim, outcome), abort)


def add_hint(database: Database, claim: Claim, hint: str | None) -> None:
    """Add a hint to a judging that has ended, and clear `hint_pending`. Does not wait for a database that is away."""
    retry_briefly(lambda: _execute(database, lease_sql.ADD_HINT, {**_key(claim), "hint": hint}))


def fail(database: Database, claim: Claim, reason: str, abort: Event = NEVER) -> None:
    """Give the judging back for another attempt, or end it as judge_error after the last one or when cancelled.

    Retries as `finish` does. A long reason is cut at its start, since a traceback ends with the error.
    """
    cleaned = storable_reason(reason)
    retry(lambda: _execute(database, lease_sql.JUDGING.fail, {**_key(claim), "reason": cleaned}), abort)


def give_back(database: Database, claim: Claim) -> None:
    """Release an aborted judging: back into the queue without using up an attempt, or its end if cancelled.

    Does not wait for a database that is away: the lease expires by itself.
    """
    retry_briefly(lambda: _execute(database, lease_sql.JUDGING.give_back, _key(claim)))


JUDGINGS = JobKind(
    channel=JUDGING_CHANNEL,
    claim=claim,
    beat=beat,
    bury=bury,
    fail=fail,
    give_back=give_back,
    is_background=lambda claim: claim.is_background,
)


def storable_reason(reason: str) -> str:
    """Cut a reason to the stored length and make it printable."""
    return printable(reason[-REASON_CHARACTERS:], REASON_CHARACTERS)


def _finish(database: Database, claim: Claim, outcome: Finish) -> bool:
    verdict = str(outcome.verdict)
    values: dict[str, object] = {"verdict": verdict, "score": outcome.score, "image": outcome.image}
    values |= {"hint": outcome.hint, "hint_pending": outcome.hint_pending}
    values["phases"] = _as_json(outcome.phases)
    values["times"] = outcome.times.model_dump() if outcome.times else None
    with database.transaction() as session:
        ended = session.execute(lease_sql.FINISH, {**_key(claim), **values, "versions": dict(outcome.versions)})
        if ended.first() is None:
            # The connection may have been lost after the COMMIT and before its answer.
            done = session.execute(lease_sql.IS_FINISHED, {**_key(claim), "verdict": verdict})
            return done.first() is not None
        if outcome.cases:
            first = _next_sequence(session, claim)
            rows = [_row(claim, result, first + index) for index, result in enumerate(outcome.cases)]
            session.execute(insert(CaseRow).on_conflict_do_nothing(), rows)
        return True


def _execute(database: Database, statement: TextClause, values: Mapping[str, object]) -> None:
    with database.transaction() as session:
        session.execute(statement, values)


def _key(claim: Claim) -> dict[str, object]:
    return {"id": claim.judging_id, "attempt": claim.attempt}


def _next_sequence(session: Session, claim: Claim) -> int:
    """Only one thread writes the results of an attempt, so the number stays free."""
    of_this_attempt = (CaseRow.judging_id == claim.judging_id, CaseRow.attempt == claim.attempt)
    return session.scalars(select(func.coalesce(func.max(CaseRow.sequence) + 1, 0)).where(*of_this_attempt)).one()


def _as_json(phases: Sequence[Phase]) -> list[dict[str, object]]:
    return [phase.model_dump() for phase in phases]


def _row(claim: Claim, result: CaseResult, sequence: int) -> dict[str, object]:
    return {"judging_id": claim.judging_id, "attempt": claim.attempt, "sequence": sequence, **asdict(result)}
