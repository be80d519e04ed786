"""The writes of a worker about the judging that it holds: phases and results while it runs, and the verdict."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from threading import Event
from typing import Any, Self
from uuid import UUID

from sqlalchemy import Row, Select, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.database.engine import NEVER, Database, retry, retry_briefly
from app.judging.verdicts import CaseResult, Finish, Phase, Verdict
from app.queue.lease import Claim, end, hold
from app.submissions.model import CaseRow, Judging


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingClaim(Claim):
    """The right of one attempt to judge."""

    COLUMN = "judging_id"
    FAILURE = """
        UPDATE judgings SET
            verdict = 'judge_error', finished_at = now(), reason = ended.reason,
            attempt = ended.attempt, worker = ended.worker, started_at = ended.started_at
        FROM ended WHERE judgings.id = ended.judging_id
    """

    judging_id: int

    @classmethod
    def of(cls, row: Row[Any]) -> Self:
        return cls(
            job_id=row.id,
            attempt=row.attempt,
            watched=row.watched,
            is_background=row.is_background,
            judging_id=row.judging_id,
        )

    @property
    def submission_id(self) -> UUID:
        return self.watched

    def __str__(self) -> str:
        return f"judging {self.judging_id}, attempt {self.attempt}"


def record_cases(session: Session, claim: JudgingClaim, results: Sequence[CaseResult]) -> None:
    """Store results before the judging is done; does nothing if the claim has ended."""
    if hold(session, claim):
        _add_cases(session, claim, results)
        session.execute(_tell(claim))


def record_phases(session: Session, claim: JudgingClaim, phases: Sequence[Phase]) -> None:
    """Store the current phases; does nothing if the claim has ended."""
    if hold(session, claim):
        _update(session, claim, phases=_as_json(phases))
        session.execute(_tell(claim))


def is_cancelled(database: Database, claim: JudgingClaim) -> bool:
    cancelled = select(Judging.id).where(Judging.id == claim.judging_id, Judging.verdict == Verdict.CANCELLED)
    with database.transaction() as session:
        return session.scalar(cancelled) is not None


def finish(database: Database, claim: JudgingClaim, outcome: Finish, abort: Event = NEVER) -> bool:
    """Write the verdict and all results and end the job, in one COMMIT. False: superseded, nothing was written.

    Retries while the database is away, until `abort` is set.
    """
    return retry(lambda: _finish(database, claim, outcome), abort)


def add_hint(database: Database, claim: JudgingClaim, hint: str | None) -> None:
    """Add a hint to a judging that has ended, and clear `hint_pending`. Does not wait for a database that is away."""

    def step() -> None:
        with database.transaction() as session:
            ended = session.get(Judging, claim.judging_id)
            if ended is not None and ended.verdict is not None and ended.attempt == claim.attempt:
                _update(session, claim, hint=hint, hint_pending=False)
                session.execute(_tell(claim))

    retry_briefly(step)


def _finish(database: Database, claim: JudgingClaim, outcome: Finish) -> bool:
    with database.transaction() as session:
        job = end(session, claim)
        if job is None:
            # The connection may have been lost after the COMMIT and before its answer.
            return _has_ended(session, claim, outcome.verdict)
        _update(
            session,
            claim,
            attempt=claim.attempt,
            worker=job.worker,
            started_at=job.started_at,
            finished_at=func.now(),
            reason=job.reason,
            verdict=str(outcome.verdict),
            score=outcome.score,
            hint=outcome.hint,
            hint_pending=outcome.hint_pending,
            phases=_as_json(outcome.phases),
            times=outcome.times.model_dump() if outcome.times else None,
            image=outcome.image,
            versions=dict(outcome.versions),
        )
        if outcome.cases:
            _add_cases(session, claim, outcome.cases)
        return True


def _has_ended(session: Session, claim: JudgingClaim, verdict: Verdict) -> bool:
    judging = session.get(Judging, claim.judging_id)
    return judging is not None and (judging.attempt, judging.verdict) == (claim.attempt, verdict)


def _update(session: Session, claim: JudgingClaim, **values: object) -> None:
    own = update(Judging).where(Judging.id == claim.judging_id).values(**values)
    session.execute(own, execution_options={"synchronize_session": False})


def _tell(claim: JudgingClaim) -> Select[Any]:
    return select(func.pg_notify("progress", str(claim.submission_id)))


def _add_cases(session: Session, claim: JudgingClaim, results: Sequence[CaseResult]) -> None:
    """Only one thread writes the results of an attempt, so the next sequence number stays free."""
    of_this_attempt = (CaseRow.judging_id == claim.judging_id, CaseRow.attempt == claim.attempt)
    first = session.scalars(select(func.coalesce(func.max(CaseRow.sequence) + 1, 0)).where(*of_this_attempt)).one()
    key = {"judging_id": claim.judging_id, "attempt": claim.attempt}
    rows = [{**key, "sequence": first + index, **asdict(result)} for index, result in enumerate(results)]
    session.execute(insert(CaseRow).on_conflict_do_nothing(), rows)


def _as_json(phases: Sequence[Phase]) -> list[dict[str, object]]:
    return [phase.model_dump() for phase in phases]
