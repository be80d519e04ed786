"""All judgings of a submission that counted at some time: the one that does, and those that rejudgings replaced."""

from datetime import datetime
from uuid import UUID

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.judging.verdicts import Verdict
from app.rejudging.decision import NOT_APPLIED
from app.rejudging.kind import NEW, OLD
from app.rejudging.model import Rejudging
from app.rejudging.view import View
from app.submissions.model import Judging, Submission
from app.submissions.view import State


class JudgingView(View):
    """One evaluation. `replaced_at`: since when another one counts; null for the one that does."""

    verdict: Verdict | None
    score: int | None
    state: State
    revision: int = Field(description="the number of the revision that it was judged on")
    queued_at: datetime
    finished_at: datetime | None
    replaced_at: datetime | None


class JudgingList(View):
    """The oldest first; the last one counts."""

    items: tuple[JudgingView, ...]


def list_judgings(session: Session, submission: Submission) -> JudgingList:
    columns = (Judging, Revision.number)
    current = select(*columns).join(Revision, Revision.id == Judging.revision_id).where(Judging.is_current)
    counting = session.execute(current.where(Judging.submission_id == submission.id)).one()
    return JudgingList(items=(*list_replaced(session, submission.id), _view(*counting, None)))


def list_replaced(session: Session, submission_id: UUID) -> tuple[JudgingView, ...]:
    """The oldest first."""
    replaced = (
        select(OLD, Revision.number, Rejudging.decided_at)
        .join_from(NEW, OLD, OLD.id == NEW.replaces_id)
        .join(Rejudging, Rejudging.id == NEW.rejudging_id)
        .join(Revision, Revision.id == OLD.revision_id)
        .where(NEW.submission_id == submission_id, Rejudging.decision == "applied", NEW.verdict.not_in(NOT_APPLIED))
        .order_by(Rejudging.decided_at, NEW.id)
    )
    return tuple(_view(*row) for row in session.execute(replaced))


def _view(judging: Judging, revision: int, replaced_at: datetime | None) -> JudgingView:
    return JudgingView(
        verdict=Verdict(judging.verdict) if judging.verdict else None,
        score=judging.score,
        state=judging.state,
        revision=revision,
        queued_at=judging.queued_at,
        finished_at=judging.finished_at,
        replaced_at=replaced_at,
    )
