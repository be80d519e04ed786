"""The dates of an assignment for each student, and the credit of a hand-in by its time.

The time of a hand-in is the moment at which all of it had arrived. How long it waited and was judged never matters.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import UUID

from sqlalchemy import and_, func, or_, select, update
from sqlalchemy.orm import Session

from app.courses.model import Assignment, Extension, Member, Sitting

FULL = 100

Phase = Literal["before", "open", "late", "closed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Until `until` (with the grace), a hand-in has `percent` of its points."""

    until: datetime
    percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """When one student may hand in, and how often each problem; None stands for any number.

    Of an exam, it is when the student may begin. Once begun, it is the time of the sitting. `extra`: added to its end.
    """

    opens_at: datetime
    due_at: datetime
    closes_at: datetime
    grace: timedelta
    steps: tuple[Step, ...]
    attempts: int | None
    extra: timedelta
    is_extended: bool

    def phase(self, at: datetime) -> Phase:
        if at < self.opens_at:
            return "before"
        if at > self.closes_at + self.grace:
            return "closed"
        return "open" if at <= self.due_at + self.grace else "late"

    def credit(self, at: datetime) -> int | None:
        """Return the percent of a hand-in at this time; None if it is before the opening or after the close."""
        if self.phase(at) in ("before", "closed"):
            return None
        return next(step.percent for step in self.steps if at <= step.until + self.grace)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentWindows:
    """The dates of one assignment for each student: of `extended` ones, and of all others.

    `begun`: the students who have begun an exam, who are among the extended ones.
    """

    usual: Window
    extended: Mapping[UUID, Window]
    begun: frozenset[UUID] = frozenset()

    @property
    def last(self) -> Window:
        """The dates of the student who is the last to have time."""
        return max((self.usual, *self.extended.values()), key=lambda window: window.closes_at)

    def of(self, user_id: UUID) -> Window:
        return self.extended.get(user_id, self.usual)


def find_window(assignment: Assignment, extensions: Iterable[Extension] = ()) -> Window:
    """Return the dates for a student to whom these extensions apply."""
    given = tuple(extensions)
    opens_at = min([assignment.opens_at, *(each.opens_at for each in given if each.opens_at)])
    due_at = max([assignment.due_at, *(each.due_at for each in given if each.due_at)])
    closes_at = max([assignment.closes_at, due_at, *(each.closes_at for each in given if each.closes_at)])
    extra = sum(each.extra_attempts for each in given)
    return Window(
        opens_at=opens_at,
        due_at=due_at,
        closes_at=closes_at,
        grace=timedelta(seconds=assignment.grace_seconds),
        steps=_list_steps(assignment.late_steps, due_at, closes_at),
        attempts=None if assignment.attempts is None else assignment.attempts + extra,
        extra=timedelta(minutes=sum(each.extra_minutes for each in given)),
        is_extended=bool(given),
    )


def find_sitting_window(window: Window, sitting: Sitting, minutes: int, time_factor: Decimal) -> Window:
    """Return the dates of a student who has begun an exam with so many minutes. `window`: when the student may begin.

    A student who begins late has less time, but never less of what the factor and extensions add.
    """
    usual = timedelta(minutes=minutes)
    added = usual * float(time_factor - 1) + window.extra
    ends_at = min(sitting.started_at + usual, window.closes_at) + added
    is_ended = sitting.ended_at is not None and sitting.ended_at < ends_at
    ends_at = sitting.ended_at if is_ended and sitting.ended_at else ends_at
    return replace(
        window,
        opens_at=sitting.started_at,
        due_at=ends_at,
        closes_at=ends_at,
        grace=timedelta(0) if is_ended else window.grace,
        steps=(Step(until=ends_at, percent=FULL),),
    )


def _list_steps(late_steps: Sequence[dict[str, int]], due_at: datetime, closes_at: datetime) -> tuple[Step, ...]:
    """The last step holds until the close. Without steps late work has no points."""
    late = [
        Step(until=min(due_at + timedelta(hours=each["hours"]), closes_at), percent=each["percent"])
        for each in late_steps
    ]
    rest = late[-1].percent if late else 0
    return (Step(until=due_at, percent=FULL), *late, Step(until=closes_at, percent=rest))


def find_windows(
    session: Session, assignments: Iterable[Assignment], user_id: UUID | None = None
) -> dict[UUID, StudentWindows]:
    """Return each assignment's dates by student; with `user_id`, of this student only."""
    found = list(assignments)
    applies = or_(Extension.user_id == Member.user_id, Extension.section == Member.section)
    query = (
        select(Extension, Member.user_id)
        .join(Assignment, Assignment.id == Extension.assignment_id)
        .join(Member, and_(Member.course_id == Assignment.course_id, Member.user_id.is_not(None), applies))
        .where(Extension.assignment_id.in_([each.id for each in found]))
    )
    if user_id is not None:
        query = query.where(Member.user_id == user_id)
    given: dict[UUID, dict[UUID, list[Extension]]] = defaultdict(lambda: defaultdict(list))
    for extension, student in session.execute(query):
        given[extension.assignment_id][student].append(extension)  # type: ignore[index]
    extended = {
        each.id: {student: find_window(each, rows) for student, rows in given[each.id].items()} for each in found
    }
    begun = _find_begun(session, found, extended, user_id)
    return {
        each.id: StudentWindows(
            usual=find_window(each),
            extended=extended[each.id] | begun[each.id],
            begun=frozenset(begun[each.id]),
        )
        for each in found
    }


def _find_begun(
    session: Session,
    assignments: Sequence[Assignment],
    extended: Mapping[UUID, Mapping[UUID, Window]],
    user_id: UUID | None,
) -> dict[UUID, dict[UUID, Window]]:
    """Return the dates of the students who have begun an exam."""
    windows: dict[UUID, dict[UUID, Window]] = {each.id: {} for each in assignments}
    exams = {each.id: each for each in assignments if each.minutes is not None}
    if not exams:
        return windows
    query = (
        select(Sitting, Member.time_factor)
        .join(Assignment, Assignment.id == Sitting.assignment_id)
        .join(Member, and_(Member.course_id == Assignment.course_id, Member.user_id == Sitting.user_id))
        .where(Sitting.assignment_id.in_(exams), *([Sitting.user_id == user_id] if user_id is not None else []))
    )
    for sitting, time_factor in session.execute(query):
        exam = exams[sitting.assignment_id]
        window = extended[exam.id].get(sitting.user_id) or find_window(exam)
        assert exam.minutes is not None
        windows[exam.id][sitting.user_id] = find_sitting_window(window, sitting, exam.minutes, time_factor)
    return windows


def unsettle(session: Session, assignment: Assignment) -> None:
    """Let the ends of an exam's sittings be computed again, and tell the pages that show them."""
    session.execute(
        update(Sitting)
        .where(Sitting.assignment_id == assignment.id, Sitting.ended_at.is_(None))
        .values(is_settled=False)
    )
    tell_pages(session, assignment.id)


def unsettle_student(session: Session, course_id: UUID, user_id: UUID | None) -> None:
    """Let the ends of a student's exams be computed again, since the time factor or the section has changed."""
    of_course = Sitting.assignment_id.in_(select(Assignment.id).where(Assignment.course_id == course_id))
    own = update(Sitting).where(of_course, Sitting.user_id == user_id, Sitting.ended_at.is_(None))
    for assignment_id in session.scalars(own.values(is_settled=False).returning(Sitting.assignment_id)):
        tell_pages(session, assignment_id)


def tell_pages(session: Session, assignment_id: UUID) -> None:
    """Let the pages of an exam that are open read it again, once the transaction ends."""
    session.execute(select(func.pg_notify("progress", str(assignment_id))))
