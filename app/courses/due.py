"""The assignments of all courses that a student can hand in now, and what they lock."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session

from app.catalog.model import Problem
from app.courses.deadlines import Window, find_windows
from app.courses.disclosure import ResultsHidden
from app.courses.local_time import show_local
from app.courses.model import Assignment, AssignmentProblem, Course, Extension, Member, Sitting
from app.database.engine import storable
from app.errors import Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class DueAssignment:
    """An assignment that a student can hand in now."""

    course: Course
    assignment: Assignment
    window: Window
    is_late: bool

    @property
    def until(self) -> datetime:
        """When it is due, or when it closes if it is late."""
        return self.window.closes_at if self.is_late else self.window.due_at

    @property
    def key(self) -> str:
        """`COURSE/ASSIGNMENT`, as addresses name it."""
        return f"{self.course.slug}/{self.assignment.slug}"


class AssignmentOpen(Refused):
    """Solutions of the problem and its leaderboards are closed: the student, or in an exam anyone, can hand it in."""

    def __init__(self, due: DueAssignment) -> None:
        until = show_local(due.window.closes_at, due.course.timezone)
        what = "solutions of this problem and its leaderboards are closed"
        super().__init__(f"{what} while {due.assignment.title} is open: until {until}")


class InputsClosed(ResultsHidden):
    """The answers to custom inputs, which are the reference's, would help those who still write an exam."""

    def __init__(self, exam: DueAssignment) -> None:
        super().__init__(describe_inputs_closed(exam))


def describe_inputs_closed(exam: DueAssignment) -> str:
    until = show_local(exam.window.closes_at, exam.course.timezone)
    return f"Students can write {exam.assignment.title} until {until}, so custom inputs are closed. Run the samples."


class HintsClosed(Refused):
    def __init__(self, due: DueAssignment) -> None:
        super().__init__(describe_hints_closed(due))


def describe_hints_closed(due: DueAssignment) -> str:
    until = show_local(due.window.closes_at, due.course.timezone)
    return f"{due.assignment.title} shows no hints until {until}."


def list_open_and_locks(session: Session, user_id: UUID, slug: str) -> tuple[list[DueAssignment], list[DueAssignment]]:
    """Return the homework with the problem that a student can hand in now, and all that closes its solution.

    For the many users who take no course, this is one query.
    """
    problem_id = session.scalar(select(Problem.id).where(Problem.slug == storable(slug), _takes_a_course(user_id)))
    if problem_id is None:
        return [], []
    due = list_due(session, user_id, problem_id)
    homework = [each for each in due if each.assignment.kind == "homework"]
    return homework, due + _list_unfinished_exams(session, user_id, problem_id)


def find_lock(session: Session, user_id: UUID, problem_id: UUID) -> DueAssignment | None:
    """Return the assignment that locks the problem's solutions and leaderboards for this user; the last to close."""
    return max(_list_locks(session, user_id, problem_id), key=_close, default=None)


def find_hint_lock(session: Session, user_id: UUID, problem_id: UUID) -> DueAssignment | None:
    """Return the assignment that closes the problem's hints, and those of its known mistakes; the last to close."""
    locks = [each for each in _list_locks(session, user_id, problem_id) if not each.assignment.shows_hints]
    return max(locks, key=_close, default=None)


def require_hints(session: Session, user_id: UUID, problem_id: UUID) -> None:
    """Raises HintsClosed."""
    if lock := find_hint_lock(session, user_id, problem_id):
        raise HintsClosed(lock)


def require_custom_inputs(session: Session, user_id: UUID, problem_id: UUID) -> None:
    """Raises InputsClosed."""
    if exams := _list_unfinished_exams(session, user_id, problem_id):
        raise InputsClosed(max(exams, key=_close))


def _list_locks(session: Session, user_id: UUID, problem_id: UUID) -> list[DueAssignment]:
    if not session.scalar(select(_takes_a_course(user_id))):
        return []
    return list_due(session, user_id, problem_id) + _list_unfinished_exams(session, user_id, problem_id)


def _close(due: DueAssignment) -> datetime:
    return due.window.closes_at


def _list_unfinished_exams(session: Session, user_id: UUID, problem_id: UUID) -> list[DueAssignment]:
    """List the exams of this student that any student can still write, each with the dates of the last one.

    An exam that the student has not begun locks all problems: a lock of its own ones would tell which they are.
    """
    exams = _list_taken(session, user_id, Assignment.kind == "exam", _can_be_written())
    windows = find_windows(session, [exam for _, exam in exams])
    now = session.scalars(select(func.now())).one()
    unfinished = []
    for course, exam in exams:
        if user_id in windows[exam.id].begun and problem_id not in {each.problem_id for each in exam.problems}:
            continue
        of_all = (windows[exam.id].usual, *windows[exam.id].extended.values())
        last = windows[exam.id].last
        if min(window.opens_at for window in of_all) <= now and last.phase(now) != "closed":
            unfinished.append(DueAssignment(course=course, assignment=exam, window=last, is_late=False))
    return unfinished


def require_unlocked(session: Session, user_id: UUID, problem_id: UUID) -> None:
    """Raises AssignmentOpen."""
    if lock := find_lock(session, user_id, problem_id):
        raise AssignmentOpen(lock)


def list_due(
    session: Session, user_id: UUID, problem: str | UUID | None = None, waited: timedelta = timedelta(0)
) -> list[DueAssignment]:
    """List the assignments that a student can hand in now, the next due first. `problem`: only those that have it.

    `waited`: what is handed in arrived so long before. An exam that the student has not begun is in the whole list
    only: its problems must stay hidden.
    """
    found = _list_taken(session, user_id, *([] if problem is None else [_has_problem(problem)]))
    if not found:
        return []
    windows = find_windows(session, [assignment for _, assignment in found], user_id)
    now = session.scalars(select(func.now())).one() - waited
    due = []
    for course, assignment in found:
        window = windows[assignment.id].of(user_id)
        phase = window.phase(now)
        is_told = problem is None or assignment.kind == "homework" or user_id in windows[assignment.id].begun
        if is_told and phase in ("open", "late"):
            due.append(DueAssignment(course=course, assignment=assignment, window=window, is_late=phase == "late"))
    return sorted(due, key=lambda each: (each.until, each.key))


def _list_taken(session: Session, user_id: UUID, *which: ColumnElement[bool]) -> list[tuple[Course, Assignment]]:
    """List the assignments that match, of the open courses that the user takes."""
    query = (
        select(Course, Assignment)
        .join(Assignment, Assignment.course_id == Course.id)
        .join(Member, Member.course_id == Course.id)
        .where(*_takes(user_id), *which)
    )
    return [(course, assignment) for course, assignment in session.execute(query)]


def _takes(user_id: UUID) -> tuple[ColumnElement[bool], ...]:
    is_student = (Member.user_id == user_id, Member.role == "student", Member.left_at.is_(None))
    return (*is_student, Course.state == "open")


def _takes_a_course(user_id: UUID) -> ColumnElement[bool]:
    return exists(select(Member.id).join(Course, Course.id == Member.course_id).where(*_takes(user_id)))


def _has_problem(problem: str | UUID) -> ColumnElement[bool]:
    of_problem = select(AssignmentProblem.assignment_id).join(Problem, Problem.id == AssignmentProblem.problem_id)
    is_it = Problem.id == problem if isinstance(problem, UUID) else Problem.slug == storable(problem)
    return Assignment.id.in_(of_problem.where(is_it))


def _is_open_to_anyone(before: timedelta = timedelta(0)) -> ColumnElement[bool]:
    """Whether the assignment, or an extension of it, ends later, or has ended in the time `before`."""
    since = func.now() - before
    extended = exists().where(
        Extension.assignment_id == Assignment.id, func.greatest(Extension.due_at, Extension.closes_at) >= since
    )
    return or_(Assignment.closes_at >= since, extended)


def list_homework_problems(session: Session) -> frozenset[str]:
    """List the slugs of all problems that some student can hand in as homework, or could within the last hour.

    What arrived at the end may still wait to be stored.
    """
    query = (
        select(Problem.slug)
        .join(AssignmentProblem, AssignmentProblem.problem_id == Problem.id)
        .join(Assignment, Assignment.id == AssignmentProblem.assignment_id)
        .join(Course, Course.id == Assignment.course_id)
        .where(Course.state == "open", Assignment.kind == "homework", _is_open_to_anyone(before=timedelta(hours=1)))
    )
    return frozenset(session.scalars(query))


def _can_be_written() -> ColumnElement[bool]:
    """Whether the assignment ends later for anyone, or a student is writing it as an exam."""
    is_written = exists().where(Sitting.assignment_id == Assignment.id, ~Sitting.is_settled)
    return or_(_is_open_to_anyone(), is_written)


def count_open_uses(session: Session, slug: str) -> int:
    """Count the open assignments that judge by a problem's current revision; an exam that has begun has its own."""
    query = (
        select(func.count())
        .select_from(AssignmentProblem)
        .join(Assignment, Assignment.id == AssignmentProblem.assignment_id)
        .join(Course, Course.id == Assignment.course_id)
        .join(Problem, Problem.id == AssignmentProblem.problem_id)
        .where(Problem.slug == slug, AssignmentProblem.revision_id.is_(None), Course.state == "open")
        .where(Assignment.opens_at <= func.now(), _is_open_to_anyone())
    )
    return session.scalars(query).one()


def list_uses(session: Session, slug: str) -> list[str]:
    """Name the assignments with a problem that some student can still hand in, or will, each with its course."""
    query = (
        select(Assignment.title, Course.title)
        .join(Course, Course.id == Assignment.course_id)
        .where(Assignment.problems.any(AssignmentProblem.problem_id.in_(select(Problem.id).filter_by(slug=slug))))
        .where(Course.state != "archived")
        .where(_can_be_written())
        .order_by(Assignment.due_at, Assignment.title)
    )
    return [f"{assignment} of {course}" for assignment, course in session.execute(query)]


def describe_open_uses(count: int) -> str:
    """Return a sentence for the author of a new revision; empty if no open assignment uses the problem."""
    if not count:
        return ""
    uses = "1 open assignment uses" if count == 1 else f"{count} open assignments use"
    return f"{uses} this problem. New hand-ins are judged on the new revision; earlier ones only after a rejudging."
