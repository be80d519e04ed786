"""A user's progress with problems, and where the user goes on.

A problem is new, tried or solved. The front page names the problem that the user worked on last and has not solved, and
the next one of each track. An accepted submission leads to the walkthrough, the quiz and the next problem of the track.
"""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import Subquery, case, false, func, or_, select, true, union_all
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.catalog.name import NamedProblem
from app.catalog.query import IS_LISTED, ProblemState
from app.catalog.track import TrackDetail, find_place, get_track
from app.errors import NotFound, ProblemNotFound
from app.judging.verdicts import Verdict
from app.learning.bookmark import Bookmark, find_bookmarked_at
from app.learning.lesson import Hints, Quiz, get_lesson, get_quiz, read_hints, read_quiz
from app.learning.solution import Lock, read_lock
from app.submissions.draft import Draft
from app.submissions.leaderboard import TimeRank, rank_time
from app.submissions.model import Judging, Submission
from app.submissions.solved import is_solving
from app.submissions.view import SubmissionView


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """A user's hints, quiz, solution lock and bookmark for one problem."""

    hints: Hints
    quiz: Quiz
    lock: Lock
    bookmarked_at: datetime | None


def read_learning(session: Session, user_id: UUID, slug: str) -> Learning:
    """Raises NotFound."""
    lesson = get_lesson(session, slug, user_id)
    return Learning(
        hints=read_hints(session, user_id, lesson),
        quiz=read_quiz(session, user_id, lesson),
        lock=read_lock(session, user_id, lesson.problem_id),
        bookmarked_at=find_bookmarked_at(session, user_id, lesson.problem_id),
    )


def states_for(viewer: Viewer | None) -> Subquery | None:
    return states_of(viewer.id) if viewer else None


def states_of(user_id: UUID) -> Subquery:
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
    if view.verdict is not Verdict.ACCEPTED or view.mode != "submit" or user_id is None:
        return None
    try:
        quiz = get_quiz(session, user_id, view.problem)
    except ProblemNotFound:
        return None
    track = _find_track(session, user_id, view.problem)
    return AcceptedSteps(
        problem=view.problem,
        quiz=quiz,
        next=_next_of(track, view.problem) if track else None,
        track=track.title if track else None,
        time=rank_time(session, submission),
    )


def find_next_problem(session: Session, user_id: UUID, slug: str) -> NamedProblem | None:
    """Return the next unsolved problem of the track. None if there is none, or if this problem is not solved yet."""
    track = _find_track(session, user_id, slug)
    if track is None or any(step.slug == slug and step.state != "solved" for step in track.steps):
        return None
    return _next_of(track, slug)


def _find_track(session: Session, user_id: UUID, slug: str) -> TrackDetail | None:
    """Return None if the problem has no track, or is unlisted while this reads it."""
    place = find_place(session, slug)
    if place is None:
        return None
    try:
        track = get_track(session, place.slug, states_of(user_id))
    except NotFound:
        return None
    return track if any(step.slug == slug for step in track.steps) else None


def _next_of(track: TrackDetail, slug: str) -> NamedProblem | None:
    """Return the next unsolved problem after this one, else the first unsolved one."""
    at = [step.slug for step in track.steps].index(slug)
    left = [step for step in (*track.steps[at + 1 :], *track.steps[:at]) if step.state != "solved"]
    return NamedProblem(slug=left[0].slug, title=left[0].title) if left else None
