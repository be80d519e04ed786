"""Where a user goes on: the problem that they worked on last and have not solved, and the next one of each track."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import false, func, or_, select, true, union_all
from sqlalchemy.orm import Session

from app.catalog.availability import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.query import ProblemState
from app.catalog.track import TrackDetail
from app.judging.verdicts import Verdict
from app.learning.progress import states_of
from app.submissions.draft import Draft
from app.submissions.model import Judging, Submission


@dataclass(frozen=True, slots=True, kw_only=True)
class LastProblem:
    """The listed problem that a user worked on last, of those that the user has not solved.

    `worked_at`: when the draft was saved or a submission sent, whichever was later. `has_unsent_draft`: the user has
    typed since the last submission. `verdict` is that of the last submission, None without one or while it is judged.
    """

    slug: str
    title: str
    state: ProblemState
    worked_at: datetime
    has_unsent_draft: bool
    verdict: Verdict | None


def list_started(tracks: tuple[TrackDetail, ...]) -> tuple[TrackDetail, ...]:
    """Return the tracks with a problem that the user has tried, and a next one to solve."""
    return tuple(
        track for track in tracks if track.next and any(step.state not in (None, "new") for step in track.steps)
    )


def find_last_problem(session: Session, user_id: UUID) -> LastProblem | None:
    drafts = select(Draft.problem_id, Draft.saved_at.label("at"), true().label("is_draft"))
    sent = select(Submission.problem_id, func.max(Submission.created_at), false())
    work = union_all(
        drafts.where(Draft.user_id == user_id),
        sent.where(Submission.user_id == user_id).group_by(Submission.problem_id),
    ).subquery("work")
    states = states_of(user_id)
    query = (
        select(Problem.id, Problem.slug, Revision.listing["title"].astext, states.c.state, work.c.at, work.c.is_draft)
        .join(work, work.c.problem_id == Problem.id)
        .join(Revision, IS_CURRENT)
        .outerjoin(states, states.c.problem_id == Problem.id)
        .where(IS_LISTED, or_(states.c.state.is_(None), states.c.state != "solved"))
        .order_by(work.c.at.desc(), Problem.slug)
        .limit(1)
    )
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    problem_id, slug, title, state, at, is_draft = found
    return LastProblem(
        slug=slug,
        title=title,
        state=state or "new",
        worked_at=at,
        has_unsent_draft=is_draft,
        verdict=_find_last_verdict(session, user_id, problem_id),
    )


def _find_last_verdict(session: Session, user_id: UUID, problem_id: UUID) -> Verdict | None:
    query = (
        select(Judging.verdict)
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Submission.problem_id == problem_id, Judging.is_current)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(1)
    )
    verdict = session.scalar(query)
    return Verdict(verdict) if verdict else None
