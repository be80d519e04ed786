"""The next steps after an accepted submission: read the walkthrough, take the quiz, go on with the track."""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.orm import Session

from app.catalog.name import NamedProblem
from app.catalog.track import TrackDetail, find_place, get_track
from app.errors import NotFound, ProblemNotFound
from app.judging.verdicts import Verdict
from app.learning.progress import read_learning, states_of
from app.learning.quiz import Quiz
from app.submissions.leaderboard import TimeRank, rank_time
from app.submissions.model import Submission
from app.submissions.view import SubmissionView


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
        quiz = read_learning(session, user_id, view.problem).quiz
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
