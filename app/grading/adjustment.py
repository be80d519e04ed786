"""Instructors' decisions on grades: adjustments with a reason, and the release of an assignment's points."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated
from uuid import UUID

from pydantic import Field
from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.audit import Act, Actor, record
from app.catalog.model import Problem
from app.courses.assignment import MAX_POINTS
from app.courses.deadlines import find_windows
from app.courses.local_time import show_local
from app.courses.member import MemberNotFound, lock_course, refuse_own_row
from app.courses.model import Assignment, AssignmentProblem, Course, Member
from app.courses.role import Seat
from app.database.engine import storable
from app.errors import Conflict, Invalid
from app.grading.book import Book
from app.grading.model import Adjustment, AdjustmentKind, ShownGrade, ShownWhy
from app.submissions.model import Submission
from app.validation import ONE_LINE, Body

MAX_REASON = 500
Reason = Annotated[str, Field(min_length=1, max_length=MAX_REASON), ONE_LINE]
Change = Annotated[Decimal, Field(ge=-MAX_POINTS, le=MAX_POINTS, decimal_places=2)]


class NewAdjustment(Body):
    """A decision on a student's assignment, or on one problem of it. It replaces the one of the same place."""

    problem: str | None = Field(None, max_length=100, description="its slug; null: the whole assignment")
    kind: AdjustmentKind = Field(
        description="`points`: these points; `add`: these points more; `zero`; `excused`: not counted at all; "
        "`submission`: this hand-in counts"
    )
    points: Change | None = Field(None, description="for `points` and `add`", examples=[2])
    submission: UUID | None = Field(None, description="for `submission`: a hand-in of the student", examples=[None])
    reason: Reason = Field(description="the student sees it with the points")


def adjust(
    session: Session, actor: Actor, seat: Seat, assignment: Assignment, member_id: UUID, new: NewAdjustment
) -> None:
    """Add an adjustment. It takes effect at once. Raises NotFound, OwnRow and Invalid."""
    user_id = _get_student(session, actor, seat, member_id)
    problem_id = _find_problem(session, assignment, new.problem)
    _check(session, assignment, user_id, problem_id, new)
    _end(session, assignment, user_id, problem_id)
    row = Adjustment(
        assignment_id=assignment.id,
        user_id=user_id,
        problem_id=problem_id,
        kind=new.kind,
        points=new.points if new.kind in ("points", "add") else None,
        submission_id=new.submission if new.kind == "submission" else None,
        reason=new.reason.strip(),
        created_by=actor.user_id,
    )
    session.add(row)
    session.flush()
    record(session, actor, Act(action="adjustment.made", target=row.id, after=_place(assignment), subject_id=user_id))


def remove_adjustment(
    session: Session, actor: Actor, seat: Seat, assignment: Assignment, member_id: UUID, problem: str | None
) -> None:
    """Take back the adjustment of a place, if there is one. Raises NotFound and OwnRow."""
    user_id = _get_student(session, actor, seat, member_id)
    _end(session, assignment, user_id, _find_problem(session, assignment, problem))
    act = Act(action="adjustment.removed", target=assignment.id, before=_place(assignment), subject_id=user_id)
    record(session, actor, act)


def release(session: Session, actor: Actor, assignment: Assignment, book: Book) -> None:
    """Show students their points from now on. `book` has all students; what they see is recorded.

    Raises Conflict while the assignment hides results until a date, and while students can write an exam.
    """
    now, timezone = session.execute(select(func.now(), Course.timezone).where(Course.id == assignment.course_id)).one()
    if assignment.shows_at is not None and assignment.shows_at > now:
        shown = show_local(assignment.shows_at, timezone)
        raise Conflict(f"{assignment.title} hides results until {shown}. Release then, or change that date first.")
    last = find_windows(session, [assignment])[assignment.id].last
    if assignment.kind == "exam" and last.phase(now) != "closed":
        ends = show_local(last.closes_at, timezone)
        raise Conflict(f"Students can write {assignment.title} until {ends}. Release the points then.")
    assignment.released_at = func.now()
    record_shown(session, book, [assignment], "release")
    record(session, actor, Act(action="assignment.released", target=assignment.id))


def withhold(session: Session, actor: Actor, assignment: Assignment) -> None:
    """Hide the points from students again."""
    assignment.released_at = None
    record(session, actor, Act(action="assignment.withheld", target=assignment.id))


def record_shown(session: Session, book: Book, assignments: Iterable[Assignment], why: ShownWhy) -> None:
    """Record the points as they are shown now."""
    shown = {assignment.id for assignment in assignments}
    session.add_all(
        ShownGrade(assignment_id=grade.assignment.id, user_id=row.member.user_id, why=why, points=grade.points)
        for row in book.rows
        for grade in row.grades
        if grade.assignment.id in shown
    )


def list_adjustments(session: Session, assignment: Assignment, user_id: UUID) -> list[tuple[Adjustment, str | None]]:
    """List all decisions with their instructors, the newest first, also those that were replaced."""
    query = select(Adjustment, User.username).outerjoin(User, User.id == Adjustment.created_by)
    query = query.where(Adjustment.assignment_id == assignment.id, Adjustment.user_id == user_id)
    return [(row, username) for row, username in session.execute(query.order_by(Adjustment.created_at.desc()))]


def _get_student(session: Session, actor: Actor, seat: Seat, member_id: UUID) -> UUID:
    """Return the user, with the course locked. Raises MemberNotFound and OwnRow."""
    lock_course(session, seat.course.id)
    is_student = (Member.course_id == seat.course.id, Member.id == member_id, Member.role == "student")
    user_id = session.scalar(select(Member.user_id).where(*is_student))
    if user_id is None:
        raise MemberNotFound(member_id)
    refuse_own_row(actor, user_id)
    return user_id


def _find_problem(session: Session, assignment: Assignment, slug: str | None) -> UUID | None:
    """Raises Invalid."""
    if slug is None:
        return None
    here = (AssignmentProblem.assignment_id == assignment.id, Problem.slug == storable(slug))
    query = select(Problem.id).join(AssignmentProblem, AssignmentProblem.problem_id == Problem.id)
    problem_id = session.scalar(query.where(*here))
    if problem_id is None:
        raise Invalid("problem", f"{assignment.title} has no problem {slug[:80]!r}.")
    return problem_id


def _check(
    session: Session, assignment: Assignment, user_id: UUID, problem_id: UUID | None, new: NewAdjustment
) -> None:
    """Raises Invalid."""
    if new.kind in ("points", "add") and new.points is None:
        raise Invalid("points", "Say how many points.")
    if new.kind != "submission":
        return
    if new.submission is None or problem_id is None:
        raise Invalid("submission", "Name the problem and the hand-in that counts.")
    own = (Submission.user_id == user_id, Submission.problem_id == problem_id)
    query = select(Submission.id).where(Submission.id == new.submission, Submission.assignment_id == assignment.id)
    if session.scalar(query.where(*own)) is None:
        raise Invalid("submission", f"{new.submission} is no hand-in of this student for this problem.")


def _end(session: Session, assignment: Assignment, user_id: UUID, problem_id: UUID | None) -> None:
    place: ColumnElement[bool] = Adjustment.problem_id.is_not_distinct_from(problem_id)
    here = (Adjustment.assignment_id == assignment.id, Adjustment.user_id == user_id, place)
    ended = update(Adjustment).where(*here, Adjustment.replaced_at.is_(None)).values(replaced_at=func.now())
    session.execute(ended)


def _place(assignment: Assignment) -> dict[str, str]:
    return {"assignment": str(assignment.id)}
