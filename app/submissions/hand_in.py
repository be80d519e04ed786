"""Handing in: whether a member may hand in a problem of an assignment now, and how many attempts are left.

A hand-in is stored whatever the load is: `LIMITS_OF` of `app/limits.py` switches off what refuses other submissions.
The moment counts at which all of it had arrived: the database's clock, less what it has waited since then.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.model import Problem
from app.courses.assignment import get_assignment
from app.courses.deadlines import Window, find_windows
from app.courses.due import list_due
from app.courses.local_time import show_local
from app.courses.model import Assignment, AssignmentProblem
from app.courses.role import get_seat
from app.database.engine import storable
from app.errors import Conflict, Invalid, LimitReached, NotFound
from app.judging.verdicts import Verdict
from app.submissions.model import CaseRow, Judging, Submission

# What a student says to hand in nothing.
PRACTICE = "none"
# Between two hand-ins of a problem, if their number is not limited.
PAUSE = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandIn:
    """A hand-in that has arrived. `window` is None for staff, who may hand in at any time; theirs never count.

    `revision_id`: the revision of an exam; None: the problem's current one. `is_default`: the student named no
    assignment, so a repeated request after the close is still the same one. `is_draft`: it stood in the editor at the
    end of an exam.
    """

    assignment: Assignment
    problem_id: UUID
    user_id: UUID
    arrived_at: datetime
    timezone: str
    window: Window | None
    revision_id: UUID | None = None
    is_default: bool = False
    is_draft: bool = False


class NotTaken(Conflict):
    """The assignment takes no hand-in now."""


class AttemptsUsed(Conflict):
    def __init__(self, attempts: int) -> None:
        super().__init__(f"You have used all {attempts} attempts at this problem.")


def choose_hand_in(
    session: Session, viewer: Viewer, wanted: str | None, problem: str, waited: timedelta
) -> HandIn | None:
    """Return what a submission is handed in for: `COURSE/ASSIGNMENT`, `none`, or None for the one open homework.

    Raises Invalid if several are open and none is named, and as `find_hand_in`.
    """
    if wanted == PRACTICE:
        return None
    if wanted is None:
        due = list_due(session, viewer.id, problem, waited)
        homework = [each.key for each in due if each.assignment.kind == "homework"]
        if len(homework) > 1:
            named = ", ".join(homework)
            raise Invalid("assignment", f"Several open assignments have this problem: {named}. Name one, or none.")
        if not homework:
            return None
    course, _, assignment = (wanted or homework[0]).partition("/")
    found = find_hand_in(session, viewer, course, assignment, problem, waited)
    return replace(found, is_default=wanted is None)


def find_hand_in(
    session: Session, viewer: Viewer, course: str, assignment: str, problem: str, waited: timedelta
) -> HandIn:
    """Return what is handed in, in a transaction that has just begun.

    `waited`: the time from the arrival of the whole request until the transaction. Raises NotFound, and NotTaken.
    """
    arrived_at = session.scalars(select(func.now())).one() - waited
    seat = get_seat(session, viewer, course)
    found = get_assignment(session, seat, assignment)
    windows = find_windows(session, [found], viewer.id)[found.id]
    window = None if seat.is_staff else windows.of(viewer.id)
    if window is not None:  # before the problem, or the answer would say which ones the assignment has
        _check_begun(found, window, arrived_at, seat.course.timezone, is_begun=viewer.id in windows.begun)
    of_problem = select(AssignmentProblem).join(Problem, AssignmentProblem.problem_id == Problem.id)
    row = session.scalar(
        of_problem.where(AssignmentProblem.assignment_id == found.id, Problem.slug == storable(problem))
    )
    if row is None:
        raise NotFound(f"{found.title} has no problem {problem[:80]!r}. See its page.")
    if seat.course.state != "open" and not seat.is_staff:
        raise NotTaken(f"{seat.course.title} is {seat.course.state} and takes no hand-ins.")
    return HandIn(
        assignment=found,
        problem_id=row.problem_id,
        user_id=viewer.id,
        arrived_at=arrived_at,
        timezone=seat.course.timezone,
        window=window,
        revision_id=row.revision_id,
    )


def _check_begun(
    assignment: Assignment, window: Window, arrived_at: datetime, timezone: str, *, is_begun: bool
) -> None:
    """Raises NotTaken, also for a run of the samples."""
    phase, is_exam = window.phase(arrived_at), assignment.kind == "exam"
    if is_exam and not is_begun:
        raise NotTaken(f"You have not begun {assignment.title}. Open its page, and begin.")
    if is_exam and phase == "closed":
        raise NotTaken(f"Your time for {assignment.title} is over, so this was not taken.")
    if phase == "before":
        raise NotTaken(f"{assignment.title} opens at {show_local(window.opens_at, timezone)}.")


def check_hand_in(session: Session, new: HandIn) -> None:
    """Raises NotTaken, AttemptsUsed and LimitReached. The caller has locked the user, so attempts are exact."""
    if new.window is None:
        return
    if new.window.phase(new.arrived_at) == "closed":
        closed, arrived = (show_local(at, new.timezone) for at in (new.window.closes_at, new.arrived_at))
        raise NotTaken(f"{new.assignment.title} closed at {closed}. This arrived at {arrived}.")
    if new.window.attempts is None:
        _check_pause(session, new)
    elif count_attempts(session, new) >= new.window.attempts:
        raise AttemptsUsed(new.window.attempts)


def count_attempts(session: Session, new: HandIn) -> int:
    """Count the attempts that are used: not those that failed by the judge, or were cancelled before a result."""
    is_own = (Submission.user_id == new.user_id, Submission.problem_id == new.problem_id)
    query = select(func.count()).select_from(Submission)
    query = query.join(Judging, and_(Judging.submission_id == Submission.id, Judging.is_current))
    return session.scalars(query.where(Submission.assignment_id == new.assignment.id, *is_own, is_attempt())).one()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedIn:
    """How many problems a student has handed in, and how many drafts were handed in at the end."""

    problems: int = 0
    drafts: int = 0


def count_handed_in(session: Session, assignment_id: UUID) -> dict[UUID, HandedIn]:
    """Return the counts of each student."""
    drafts = func.count().filter(Submission.is_draft)
    query = select(Submission.user_id, func.count(Submission.problem_id.distinct()), drafts)
    found = session.execute(query.where(Submission.assignment_id == assignment_id).group_by(Submission.user_id))
    return {user_id: HandedIn(problems=problems, drafts=drafts) for user_id, problems, drafts in found if user_id}


def is_attempt() -> ColumnElement[bool]:
    """Whether a hand-in, by its current judging, is an attempt."""
    has_result = exists().where(CaseRow.judging_id == Judging.id)
    is_ended = or_(Judging.verdict != Verdict.CANCELLED, has_result)
    return or_(Judging.verdict.is_(None), and_(Judging.verdict != Verdict.JUDGE_ERROR, is_ended))


def _check_pause(session: Session, new: HandIn) -> None:
    is_own = (Submission.user_id == new.user_id, Submission.problem_id == new.problem_id)
    last = session.scalar(
        select(func.max(Submission.created_at)).where(Submission.assignment_id == new.assignment.id, *is_own)
    )
    if last is not None and new.arrived_at - last < PAUSE:
        left = PAUSE - (new.arrived_at - last)
        raise LimitReached(f"You handed in this problem just now. Hand in again in {left.seconds + 1} s.", left)
