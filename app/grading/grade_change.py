"""Whose grades a rejudging would change, before it is applied: computed as grades are, with its judgings in place."""

from collections import defaultdict
from collections.abc import Iterable
from decimal import Decimal
from itertools import groupby
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.courses.model import Assignment, Course
from app.errors import Conflict
from app.grading.book import read_rows
from app.grading.grade import ZERO
from app.rejudging.model import Rejudging
from app.submissions.model import Judging, Submission
from app.validation import FrozenModel


class GradeChange(FrozenModel):
    """The points of a student, now and after the rejudging; None while nothing counts."""

    username: str
    name: str
    before: Decimal | None
    after: Decimal | None


class AssignmentChanges(FrozenModel):
    """The students whose points would rise and fall. `is_released`: they have seen their points."""

    course: str
    assignment: str
    title: str
    is_released: bool
    rises: tuple[GradeChange, ...]
    falls: tuple[GradeChange, ...]


def list_grade_changes(session: Session, rejudging: Rejudging) -> list[AssignmentChanges]:
    """List the assignments with hand-ins in an undecided rejudging. What it has not judged yet stays as it is.

    Raises Conflict after the decision.
    """
    if rejudging.decision is not None:
        raise Conflict(f"This rejudging is {rejudging.decision}, so it changes no more grades.")
    return [
        changes
        for course, assignments in _list_places(session, rejudging.id)
        for changes in _compare(session, course, assignments, rejudging.id)
    ]


def _list_places(session: Session, rejudging_id: UUID) -> Iterable[tuple[Course, list[Assignment]]]:
    rejudged = select(Submission.assignment_id).join(Judging, Judging.submission_id == Submission.id)
    query = select(Course, Assignment).join(Assignment, Assignment.course_id == Course.id)
    query = query.where(Assignment.id.in_(rejudged.where(Judging.rejudging_id == rejudging_id)))
    found = session.execute(query.order_by(Course.slug, Assignment.due_at, Assignment.id)).all()
    for course, rows in groupby(found, key=lambda row: row[0]):
        yield course, [row[1] for row in rows]


def _compare(
    session: Session, course: Course, assignments: list[Assignment], rejudging_id: UUID
) -> Iterable[AssignmentChanges]:
    before = read_rows(session, course, assignments)
    after = read_rows(session, course, assignments, rejudging_id=rejudging_id)
    rises, falls = defaultdict[UUID, list[GradeChange]](list), defaultdict[UUID, list[GradeChange]](list)
    for old, new in zip(before, after, strict=True):
        for was, becomes in zip(old.grades, new.grades, strict=True):
            change = GradeChange(username=old.username, name=old.name, before=was.points, after=becomes.points)
            moved = (becomes.points or ZERO) - (was.points or ZERO)
            if moved and not was.is_excused:
                (rises if moved > 0 else falls)[was.assignment.id].append(change)
    for each in assignments:
        yield AssignmentChanges(
            course=course.slug,
            assignment=each.slug,
            title=each.title,
            is_released=each.released_at is not None,
            rises=tuple(rises[each.id]),
            falls=tuple(falls[each.id]),
        )
