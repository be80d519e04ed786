"""Whose grades a rejudging changes, before and after it is applied, and keeping the points of those whose grade falls.

They are computed as grades are, with the other judgings in place.
"""

from collections import defaultdict
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.audit import Actor
from app.courses.member import lock_course
from app.courses.model import Assignment, Course
from app.courses.role import Seat
from app.errors import Conflict
from app.grading.adjustment import NewAdjustment, adjust
from app.grading.book import BookRow, read_rows
from app.grading.export import read_slugs
from app.grading.grade import CENT, ZERO, Grade
from app.rejudging.model import Rejudging
from app.submissions.model import Judging, Submission
from app.validation import FrozenModel, read_fields


class GradeChange(FrozenModel):
    """The points of a student without the rejudging and with it; None while nothing counts."""

    username: str
    name: str
    before: Decimal | None
    after: Decimal | None


class AssignmentChanges(FrozenModel):
    """The students whose points rise and fall. `is_released`: they have seen their points."""

    course: str
    assignment: str
    title: str
    is_released: bool
    rises: tuple[GradeChange, ...]
    falls: tuple[GradeChange, ...]


def list_grade_changes(session: Session, rejudging: Rejudging) -> list[AssignmentChanges]:
    """List the assignments with hand-ins in a rejudging. What it has not judged yet stays as it is.

    Raises Conflict for one that was cancelled.
    """
    return [
        changes
        for course, assignments in _list_places(session, rejudging.id)
        for changes in _compare(session, course, assignments, rejudging)
    ]


def keep_points(
    session: Session, actor: Actor, seat: Seat, assignment: Assignment, rejudging: Rejudging, reason: str
) -> int:
    """Adjust each grade that falls, so that the points stay, and return the number of these students.

    Each problem whose points fall gets those that it had. The actor's own grade is left out. Raises Invalid and
    Conflict.
    """
    lock_course(session, seat.course.id)
    slugs = read_slugs(session, [assignment])
    kept = 0
    for row, was, becomes in _list_moved(session, seat.course, [assignment], rejudging):
        if row.member.user_id == actor.user_id or (becomes.points or ZERO) >= (was.points or ZERO):
            continue
        kept += 1
        for old, new in zip(was.parts, becomes.parts, strict=True):
            if (new.points or ZERO) < (old.points or ZERO):
                points = (old.points or ZERO).quantize(CENT, ROUND_HALF_UP)
                values = {"problem": slugs[old.problem_id], "kind": "points", "points": points, "reason": reason}
                adjust(session, actor, seat, assignment, row.member.id, read_fields(NewAdjustment, values))
    return kept


def _list_places(session: Session, rejudging_id: UUID) -> Iterable[tuple[Course, list[Assignment]]]:
    rejudged = select(Submission.assignment_id).join(Judging, Judging.submission_id == Submission.id)
    query = select(Course, Assignment).join(Assignment, Assignment.course_id == Course.id)
    query = query.where(Assignment.id.in_(rejudged.where(Judging.rejudging_id == rejudging_id)))
    found = session.execute(query.order_by(Course.slug, Assignment.due_at, Assignment.id)).all()
    for course, rows in groupby(found, key=lambda row: row[0]):
        yield course, [row[1] for row in rows]


def _compare(
    session: Session, course: Course, assignments: list[Assignment], rejudging: Rejudging
) -> Iterable[AssignmentChanges]:
    rises, falls = defaultdict[UUID, list[GradeChange]](list), defaultdict[UUID, list[GradeChange]](list)
    for row, was, becomes in _list_moved(session, course, assignments, rejudging):
        change = GradeChange(username=row.username, name=row.name, before=was.points, after=becomes.points)
        is_rise = (becomes.points or ZERO) > (was.points or ZERO)
        (rises if is_rise else falls)[was.assignment.id].append(change)
    for each in assignments:
        yield AssignmentChanges(
            course=course.slug,
            assignment=each.slug,
            title=each.title,
            is_released=each.released_at is not None,
            rises=tuple(rises[each.id]),
            falls=tuple(falls[each.id]),
        )


def _list_moved(
    session: Session, course: Course, assignments: list[Assignment], rejudging: Rejudging
) -> Iterable[tuple[BookRow, Grade, Grade]]:
    """Return the students whose points differ, with the grades without the rejudging and with it. Raises Conflict."""
    if rejudging.decision == "cancelled":
        raise Conflict("This rejudging is cancelled, so it changes no grades.")
    now = read_rows(session, course, assignments)
    other = read_rows(session, course, assignments, rejudging=rejudging)
    before, after = (other, now) if rejudging.decision == "applied" else (now, other)
    for old, new in zip(before, after, strict=True):
        for was, becomes in zip(old.grades, new.grades, strict=True):
            if (becomes.points or ZERO) != (was.points or ZERO) and not was.is_excused:
                yield old, was, becomes
