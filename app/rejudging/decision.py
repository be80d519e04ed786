"""Applies or cancels a rejudging as a whole, in the caller's transaction. The decision is final."""

from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, func, select, update
from sqlalchemy.orm import Session, aliased

from app.audit import Act, Actor, record
from app.errors import Conflict, NotFound
from app.judging.verdicts import Verdict
from app.rejudging.model import Decision, Rejudging
from app.submissions.cancel import end_judgings
from app.submissions.model import Judging

# Verdicts that say nothing about a submission: its old judging keeps counting.
NOT_APPLIED = (Verdict.JUDGE_ERROR, Verdict.CANCELLED)
# The updates touch thousands of rows that the session has not loaded.
_UNSEEN = {"synchronize_session": False}


def apply(session: Session, rejudging_id: UUID, actor: Actor) -> Rejudging:
    """Replace the old judgings with the rejudging's. A judge_error replaces none.

    Raises NotFound, and Conflict if a submission is not judged yet, or if another rejudging of the same submissions was
    applied since.
    """
    # One at a time: two rejudgings of the same submissions would lock judgings in different orders and deadlock.
    session.execute(select(func.pg_advisory_xact_lock(func.hashtext("allclose: apply a rejudging"))))
    rejudging = _locked(session, rejudging_id)
    if rejudging.decision is not None:
        return _as_decided(rejudging, "applied")
    left = _count(session, rejudging_id, Judging.verdict.is_(None))
    if left:
        raise Conflict(
            f"{left} of {rejudging.total} submissions are not judged yet. Wait for them, or cancel the rejudging."
        )
    wanted = _count(session, rejudging_id, Judging.verdict.not_in(NOT_APPLIED))
    replaced = _replace(session, rejudging_id)
    if replaced < wanted:
        raise Conflict(
            f"A later rejudging of {wanted - replaced} of these submissions was already applied. "
            "Cancel this one and begin another."
        )
    _count_from_now_on(session, rejudging_id)
    return _decide(session, rejudging, "applied", actor)


def cancel(session: Session, rejudging_id: UUID, actor: Actor) -> Rejudging:
    """End all waiting and running judgings; finished ones can still be read.

    Raises NotFound, and Conflict if the rejudging was applied.
    """
    rejudging = _locked(session, rejudging_id)
    if rejudging.decision is not None:
        return _as_decided(rejudging, "cancelled")
    end_judgings(session, Judging.rejudging_id == rejudging_id)
    return _decide(session, rejudging, "cancelled", actor)


def _locked(session: Session, rejudging_id: UUID) -> Rejudging:
    one = select(Rejudging).where(Rejudging.id == rejudging_id).with_for_update()
    found = session.scalars(one, execution_options={"populate_existing": True}).one_or_none()
    if found is None:
        raise NotFound(f"There is no rejudging {rejudging_id}. See the list of rejudgings.")
    return found


def _as_decided(rejudging: Rejudging, wanted: Decision) -> Rejudging:
    """Return the rejudging if it has the wanted decision. Raises Conflict otherwise."""
    if rejudging.decision != wanted:
        raise Conflict(f"This rejudging was already {rejudging.decision}, which is final. Begin another one.")
    return rejudging


def _count(session: Session, rejudging_id: UUID, condition: ColumnElement[bool]) -> int:
    counted = select(func.count()).select_from(Judging).where(Judging.rejudging_id == rejudging_id)
    return session.execute(counted.where(condition)).scalar_one()


def _replace(session: Session, rejudging_id: UUID) -> int:
    """Take the old judgings out of the count, and return how many. If some are missing, the caller rolls back."""
    new = aliased(Judging)
    is_applied = (new.rejudging_id == rejudging_id, new.verdict.not_in(NOT_APPLIED))
    old = update(Judging).where(Judging.id == new.replaces_id, Judging.is_current, *is_applied)
    return len(session.execute(old.values(is_current=False).returning(Judging.id), execution_options=_UNSEEN).all())


def _count_from_now_on(session: Session, rejudging_id: UUID) -> None:
    of_this = (Judging.rejudging_id == rejudging_id, Judging.verdict.not_in(NOT_APPLIED))
    told = func.pg_notify("progress", cast(Judging.submission_id, Text))
    new = update(Judging).where(*of_this).values(is_current=True).returning(told)
    session.execute(new, execution_options=_UNSEEN).all()


def _decide(session: Session, rejudging: Rejudging, decision: Decision, actor: Actor) -> Rejudging:
    decided_at = session.scalars(select(func.now())).one()
    judged = _count(session, rejudging.id, Judging.verdict != Verdict.CANCELLED)
    rejudging.decision, rejudging.judged = decision, judged
    rejudging.decided_by, rejudging.decided_at = actor.user_id, decided_at
    after = {"total": rejudging.total, "judged": judged}
    record(session, actor, Act(action=f"rejudging.{decision}", target=rejudging.id, after=after))
    return rejudging
