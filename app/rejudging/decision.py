"""Applying a rejudging, or cancelling it: all of it as one, in the caller's transaction, and once for good."""

from uuid import UUID

from sqlalchemy import ColumnElement, Text, cast, func, select, update
from sqlalchemy.orm import Session, aliased

from app.audit import Act, Actor, record
from app.errors import Conflict, NotFound
from app.judging.verdicts import Verdict
from app.rejudging.model import Decision, Rejudging
from app.submissions.cancel import CANCELLED
from app.submissions.model import Judging

# What says nothing of a submission: the judging that it has stays the one that counts.
NOT_APPLIED = (Verdict.JUDGE_ERROR, Verdict.CANCELLED)
# Thousands of rows, of which the session has none.
_UNSEEN = {"synchronize_session": False}


def apply(session: Session, rejudging_id: UUID, actor: Actor) -> Rejudging:
    """Its judgings count from now on, in place of those that they replace; a judge_error replaces none.

    Raises NotFound, and Conflict while something is not judged yet, or when another rejudging of the same submissions
    was applied since.
    """
    # One at a time: two that replace the same judgings would lock them in different orders.
    session.execute(select(func.pg_advisory_xact_lock(func.hashtext("allclose: apply a rejudging"))))
    rejudging = _locked(session, rejudging_id)
    if rejudging.decision is not None:
        return _as_decided(rejudging, "applied")
    left = _count(session, rejudging_id, Judging.state != "done")
    if left:
        raise Conflict(f"{left} of {rejudging.total} are not judged yet; apply it when they are, or cancel it")
    wanted = _count(session, rejudging_id, Judging.verdict.not_in(NOT_APPLIED))
    replaced = _replace(session, rejudging_id)
    if replaced < wanted:
        raise Conflict(
            f"{wanted - replaced} of these submissions were judged again and applied since this was begun; "
            "cancel it, and judge again what you still want to"
        )
    _count_from_now_on(session, rejudging_id)
    return _decide(session, rejudging, "applied", actor)


def cancel(session: Session, rejudging_id: UUID, actor: Actor) -> Rejudging:
    """Ends what waits and what runs; what was judged stays to be looked at. Raises NotFound, Conflict if applied."""
    rejudging = _locked(session, rejudging_id)
    if rejudging.decision is not None:
        return _as_decided(rejudging, "cancelled")
    ended = (
        update(Judging)
        .where(Judging.rejudging_id == rejudging_id, Judging.state.in_(["queued", "judging"]))
        .values(
            state="done",
            verdict=Verdict.CANCELLED,
            cancel_requested=True,
            finished_at=func.now(),
            lease_until=None,
        )
    )
    session.execute(ended, execution_options=_UNSEEN)
    session.execute(select(func.pg_notify("judging", CANCELLED)))
    return _decide(session, rejudging, "cancelled", actor)


def _locked(session: Session, rejudging_id: UUID) -> Rejudging:
    one = select(Rejudging).where(Rejudging.id == rejudging_id).with_for_update()
    found = session.scalars(one, execution_options={"populate_existing": True}).one_or_none()
    if found is None:
        raise NotFound(f"there is no rejudging {rejudging_id}; the list of rejudgings has all of them")
    return found


def _as_decided(rejudging: Rejudging, wanted: Decision) -> Rejudging:
    """Asked again, the same once more."""
    if rejudging.decision != wanted:
        raise Conflict(f"this rejudging was {rejudging.decision} already, and stays so; begin another one")
    return rejudging


def _count(session: Session, rejudging_id: UUID, condition: ColumnElement[bool]) -> int:
    counted = select(func.count()).select_from(Judging).where(Judging.rejudging_id == rejudging_id)
    return session.execute(counted.where(condition)).scalar_one()


def _replace(session: Session, rejudging_id: UUID) -> int:
    """How many judgings count no more. Where these are fewer than were to be, the caller rolls back."""
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
