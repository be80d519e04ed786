"""A user's progress with problems, and where the user goes on.

A problem is new, tried or solved. The front page names the problem that the user worked on last and has not solved, and
the next one of each track. An accepted submission leads to the walkthrough, the quiz and the next problem of the track.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import BindParameter, ColumnElement, Subquery, and_, case, false, func, or_, select, true, union_all
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.access import IS_LISTED
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.name import NamedProblem
from app.catalog.query import ProblemState
from app.catalog.track import Surroundings, TrackDetail, read_surroundings
from app.errors import ProblemNotFound
from app.judging.verdicts import Verdict
from app.learning.bookmark import Bookmark
from app.learning.lesson import USER_ID, Hints, Quiz, get_lesson, read_lesson, select_lesson
from app.learning.model import SolutionView
from app.learning.note import Note
from app.learning.solution import Lock
from app.submissions.draft import Draft
from app.submissions.leaderboard import TimeRank, rank_time
from app.submissions.model import Judging, Submission
from app.submissions.solved import IS_WITHHELD, is_solving, solved_at
from app.submissions.view import SubmissionView


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A user's work on one problem: hints, quiz, solution lock, bookmark, note and draft."""

    problem_id: UUID
    revision_id: UUID
    hints: Hints
    quiz: Quiz
    lock: Lock
    bookmarked_at: datetime | None
    note: Note | None
    draft: Draft | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    found = session.execute(_LEARNING, {"slug": slug, "user_id": user_id}).one_or_none()
    if found is None:
        raise ProblemNotFound(slug)
    lesson = read_lesson(found)
    return Learning(
        problem_id=lesson.problem_id,
        revision_id=lesson.revision_id,
        hints=lesson.hints,
        quiz=lesson.quiz,
        lock=Lock(solved_at=found.solved_at, shown_at=found.shown_at),
        bookmarked_at=found.bookmarked_at,
        note=found.Note,
        draft=found.Draft,
    )


def _is_own(row: type[Bookmark | Draft | Note | SolutionView]) -> ColumnElement[bool]:
    return and_(row.problem_id == Problem.id, row.user_id == USER_ID)


# Built once: building takes longer than running.
_LEARNING = (
    select_lesson()
    .add_columns(solved_at(USER_ID, Problem.id).label("solved_at"))
    .add_columns(SolutionView.shown_at, Bookmark.bookmarked_at, Note, Draft)
    .outerjoin(SolutionView, _is_own(SolutionView))
    .outerjoin(Bookmark, _is_own(Bookmark))
    .outerjoin(Note, _is_own(Note))
    .outerjoin(Draft, and_(_is_own(Draft), Draft.assignment_id.is_(None)))
)


def states_for(viewer: Viewer | None) -> Subquery | None:
    return states_of(viewer.id) if viewer else None


def states_of(user_id: UUID | BindParameter[UUID]) -> Subquery:
    """Select `problem_id`, `state` and `is_bookmarked` of the user's submitted or bookmarked problems.

    All others are new and without a bookmark.
    """
    # A join instead of EXISTS, which PostgreSQL answers from the solved problems of all users.
    submitted = (
        select(Submission.problem_id, is_solving().label("solved"), true().label("tried"), false().label("bookmarked"))
        .outerjoin(Judging, Judging.submission_id == Submission.id)
        .where(Submission.user_id == user_id)
    )
    bookmarked = select(
        Bookmark.problem_id, false().label("solved"), false().label("tried"), true().label("bookmarked")
    )
    each = union_all(submitted, bookmarked.where(Bookmark.user_id == user_id)).subquery()
    state = case(
        (func.bool_or(each.c.solved), "solved"),
        (func.bool_or(each.c.tried), "tried"),
        else_="new",
    )
    return (
        select(each.c.problem_id, state.label("state"), func.bool_or(each.c.bookmarked).label("is_bookmarked"))
        .group_by(each.c.problem_id)
        .subquery("states")
    )


_STATES = states_of(USER_ID)


def read_own_surroundings(
    session: Session, user_id: UUID | None, slug: str, prerequisites: Sequence[str] = ()
) -> Surroundings:
    """Return what stands around the problem, with the user's states if there is a user."""
    states = None if user_id is None else _STATES
    return read_surroundings(session, slug, prerequisites, states, {"user_id": user_id})


@dataclass(frozen=True, slots=True, kw_only=True)
class LastProblem:
    """The listed problem that a user worked on last, of those that the user has not solved.

    `worked_at`: when the draft was saved or a submission sent, whichever was later. `has_unsent_draft`: the user has
    typed since the last submission. `verdict` is that of the last submission; None without one, and while it is judged
    or hidden.
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
        drafts.where(Draft.user_id == user_id, Draft.assignment_id.is_(None)),
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
        select(case((IS_WITHHELD, None), else_=Judging.verdict))
        .join(Submission, Submission.id == Judging.submission_id)
        .where(Submission.user_id == user_id, Submission.problem_id == problem_id, Judging.is_current)
        .order_by(Submission.created_at.desc(), Submission.id.desc())
        .limit(1)
    )
    verdict = session.scalar(query)
    return Verdict(verdict) if verdict else None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedSteps:
    """`next`: a problem of the track that is not solved.

    `time` is None until the worker has measured the solution and the reference.
    """

    problem: str
    quiz: Quiz
    next: NamedProblem | None
    track: str | None
    time: TimeRank | None


def find_next_steps(session: Session, submission: Submission, view: SubmissionView) -> AcceptedSteps | None:
    """Return None unless all cases are accepted and the problem is open to its user."""
    user_id = submission.user_id
    if user_id is None or not view.is_solving:
        return None
    try:
        quiz = get_lesson(session, view.problem, user_id).quiz
    except ProblemNotFound:
        return None
    track = read_own_surroundings(session, user_id, view.problem).track
    return make_next_steps(session, submission, view, quiz, track)


def make_next_steps(
    session: Session, submission: Submission, view: SubmissionView, quiz: Quiz, track: TrackDetail | None
) -> AcceptedSteps | None:
    """As `find_next_steps`, for a caller who has the quiz and the track. The problem is open to the user."""
    if not view.is_solving:
        return None
    return AcceptedSteps(
        problem=view.problem,
        quiz=quiz,
        next=_next_of(track, view.problem) if track else None,
        track=track.title if track else None,
        time=rank_time(session, submission),
    )


def find_next_problem(session: Session, user_id: UUID, slug: str) -> NamedProblem | None:
    """Return the next unsolved problem of the track. None if there is none, or if this problem is not solved yet."""
    track = read_own_surroundings(session, user_id, slug).track
    if track is None or any(step.slug == slug and step.state != "solved" for step in track.steps):
        return None
    return _next_of(track, slug)


def _next_of(track: TrackDetail, slug: str) -> NamedProblem | None:
    """Return the next unsolved problem after this one, else the first unsolved one."""
    at = [step.slug for step in track.steps].index(slug)
    left = [step for step in (*track.steps[at + 1 :], *track.steps[:at]) if step.state != "solved"]
    return NamedProblem(slug=left[0].slug, title=left[0].title) if left else None
