"""A judging's row is its job, and these are the steps of its life, each one a transaction.

A worker holds a judging by a lease: it is the worker's until `lease_until`, and the worker beats to move that on.
Whoever claims a judging raises its `attempt`; every later write names the attempt, so a worker that was frozen and
wakes when another has taken over writes nothing. An expired lease needs no sweeper: a claim looks at expired ones too.

Only the database's clock is used. `reason` collects what went wrong in each attempt, for admins.

How a judging came out.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from threading import Event
from typing import Generic, TypeVar
from uuid import UUID

from sqlalchemy import TextClause, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.engine import Database
from app.judging.text import printable
from app.judging.verdicts import CaseResult, Verdict
from app.queue import lease_sql
from app.queue.retry import NEVER, retry, retry_briefly
from app.submissions.model import CaseRow
from app.submissions.phase import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """How a judging came out; `cases` in order of position.

    `hint`: on a known mistake; `hint_pending`: it may follow. `phases`: as they are told; `spent`: what they took, for
    those who run the worker.
    """

    verdict: Verdict
    score: int
    cases: Sequence[CaseResult]
    image: str
    versions: Mapping[str, str]
    hint: str | None = None
    hint_pending: bool = False
    phases: Sequence[Phase] = ()
    spent: Mapping[str, float] = field(default_factory=dict)


REASON_CHARACTERS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to judge, which ends when a later attempt begins. One in the background gives way to the others."""

    judging_id: int
    attempt: int
    submission_id: UUID
    is_background: bool = False

    def __str__(self) -> str:
        return f"judging {self.judging_id}, attempt {self.attempt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a worker is ready to take: at most `slots` jobs of these queues, held for `lease` at a time.

    `background`: so many of them may be background jobs, where others leave room. `yielding`: so many of the slots are
    held by background jobs that give way to others, and to others only.
    """

    queues: Sequence[str]
    slots: int
    worker: str
    lease: timedelta
    background: int = 0
    yielding: int = 0

    @property
    def values(self) -> dict[str, object]:
        return {**asdict(self), "queues": list(self.queues)}


C = TypeVar("C")


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs(Generic[C]):
    """Rows that are jobs, by the steps of their life, as the functions below are for judgings.

    `C` is the right to one attempt, and its text names the job. `channel`: where a new one is announced.
    `is_background`: whether it gives way to others.
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
    """Hold these for another `lease`. Returns those to abort: taken over by somebody else, or cancelled."""
    held = list(claims)
    values = {"ids": [c.judging_id for c in held], "attempts": [c.attempt for c in held], "lease": lease}
    rows = session.execute(lease_sql.JUDGING.beat, values)
    kept = {(row.id, row.attempt) for row in rows if not row.cancel_requested}
    return {c for c in held if (c.judging_id, c.attempt) not in kept}


def bury(session: Session) -> int:
    """End those whose last attempt's worker stopped beating as a judge_error. Returns how many."""
    return len(session.execute(lease_sql.JUDGING.bury).all())


def record_cases(session: Session, claim: Claim, results: Sequence[CaseResult]) -> None:
    """Show results before the judging is done, none of one that was cancelled, or removed with who sent it.

    Rows of a superseded attempt are written, and never shown.
    """
    if session.execute(lease_sql.STILL_COUNTS, {"id": claim.judging_id}).first() is None:
        return
    first = _next_sequence(session, claim)
    rows = [_row(claim, result, first + index) for index, result in enumerate(results)]
    session.execute(insert(CaseRow).on_conflict_do_nothing(), rows)
    session.execute(lease_sql.NOTIFY_PROGRESS, {"submission_id": str(claim.submission_id)})


def record_phases(session: Session, claim: Claim, phases: Sequence[Phase]) -> None:
    """Show what it is about; nothing when another attempt has taken over."""
    session.execute(lease_sql.RECORD_PHASES, {**_key(claim), "phases": _as_json(phases)})


def is_cancelled(database: Database, claim: Claim) -> bool:
    with database.transaction() as session:
        return session.execute(lease_sql.IS_CANCELLED, {"id": claim.judging_id}).first() is not None


def finish(database: Database, claim: Claim, outcome: Finish, abort: Event = NEVER) -> bool:
    """Write the verdict, with all results, and end the judging, in one COMMIT. False: superseded, nothing is written.

    Tries again while the database is away, until `abort` is set.
    """
    return retry(lambda: _finish(database, claim, outcome), abort)


def add_hint(database: Database, claim: Claim, hint: str | None) -> None:
    """To a judging that has ended, which waits for none any more. Does not wait for a database that is away."""
    retry_briefly(lambda: _execute(database, lease_sql.ADD_HINT, {**_key(claim), "hint": hint}))


def fail(database: Database, claim: Claim, reason: str, abort: Event = NEVER) -> None:
    """Give the judging back for another attempt; or end it as a judge_error, after the last one or when cancelled.

    Tries again as `finish` does. Of a long reason the end is kept: in a traceback the error itself.
    """
    cleaned = last_words(reason)
    retry(lambda: _execute(database, lease_sql.JUDGING.fail, {**_key(claim), "reason": cleaned}), abort)


def give_back(database: Database, claim: Claim) -> None:
    """Let go of a judging that was aborted: back into the queue with its attempts restored; its end, if cancelled.

    Does not wait for a database that is away: the lease runs out by itself.
    """
    retry_briefly(lambda: _execute(database, lease_sql.JUDGING.give_back, _key(claim)))


JUDGINGS = Jobs(
    channel="judging",
    claim=claim,
    beat=beat,
    bury=bury,
    fail=fail,
    give_back=give_back,
    is_background=lambda claim: claim.is_background,
)


def last_words(reason: str) -> str:
    """What is kept of a reason."""
    return printable(reason[-REASON_CHARACTERS:], REASON_CHARACTERS)


def _finish(database: Database, claim: Claim, outcome: Finish) -> bool:
    verdict = str(outcome.verdict)
    values: dict[str, object] = {"verdict": verdict, "score": outcome.score, "image": outcome.image}
    values |= {"hint": outcome.hint, "hint_pending": outcome.hint_pending}
    values["phases"] = _as_json(outcome.phases)
    with database.transaction() as session:
        ended = session.execute(lease_sql.FINISH, {**_key(claim), **values, "versions": dict(outcome.versions)})
        if ended.first() is None:
            # The connection may have been lost after the COMMIT was done and before we were told.
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
    """One thread writes the results of an attempt, so nobody else takes it meanwhile."""
    of_this_attempt = (CaseRow.judging_id == claim.judging_id, CaseRow.attempt == claim.attempt)
    return session.scalars(select(func.coalesce(func.max(CaseRow.sequence) + 1, 0)).where(*of_this_attempt)).one()


def _as_json(phases: Sequence[Phase]) -> list[dict[str, object]]:
    return [phase.model_dump() for phase in phases]


def _row(claim: Claim, result: CaseResult, sequence: int) -> dict[str, object]:
    return {"judging_id": claim.judging_id, "attempt": claim.attempt, "sequence": sequence, **asdict(result)}
