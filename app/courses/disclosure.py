"""Disclosure: the results of a hand-in that its student may see while the assignment hides results.

Everything that could tell a student whether a hand-in passed asks `disclosure_of` or `is_withheld`: results, counts,
locks, quotas and exports. Only students of the course are concerned: its staff see everything.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Select, and_, bindparam, case, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.courses.local_time import show_local
from app.courses.model import Assignment, Course, Extension, Member, Shows, Sitting
from app.errors import Conflict

Id = ColumnElement[Any] | InstrumentedAttribute[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """What is shown now. `sentence` says what is hidden, and until when; None if all is shown."""

    shows: Shows
    sentence: str | None = None


class ResultsHidden(Conflict):
    """The request would tell what the assignment hides."""


ALL = Disclosure(shows="all")


def disclosure_of(session: Session, assignment_id: UUID | None, owner_id: UUID | None, viewer_id: UUID) -> Disclosure:
    """Say what the viewer may see of the owner's hand-ins. A caller has checked that the viewer may see any."""
    if assignment_id is None or owner_id != viewer_id:
        return ALL
    until = _select_end(Assignment, Member.user_id)
    query = select(Assignment.shows, Assignment.title, Assignment.kind, Course.timezone, until)
    query = query.join(Course, Course.id == Assignment.course_id).join(Member, Member.course_id == Course.id)
    found = session.execute(
        query.where(Assignment.id == assignment_id, Member.user_id == owner_id, _hides(Assignment, Member.user_id))
    ).one_or_none()
    if found is None:
        return ALL
    shows, title, kind, timezone, end = found
    shown = "only the samples' results" if shows == "samples" else "no results"
    until_text = show_local(end, timezone) if end else "your points are released"
    later = ", and until the last student has finished" if end and kind == "exam" else ""
    return Disclosure(shows=shows, sentence=f"{title} shows {shown} until {until_text}{later}.")


def is_withheld(assignment_id: Id, user_id: Id) -> ColumnElement[bool]:
    """Return the condition that an assignment hides results of this student's hand-ins from the student."""
    hiding = aliased(Assignment)
    hidden = exists().where(hiding.id == assignment_id, _hides(hiding, user_id))
    return and_(assignment_id.is_not(None), hidden)


def _hides(assignment: type[Assignment], user_id: Id) -> ColumnElement[bool]:
    student = aliased(Member)
    of_course = (student.course_id == assignment.course_id, student.user_id == user_id, student.role == "student")
    is_student = select(student.id).where(*of_course).correlate_except(student).exists()
    end = _select_end(assignment, user_id)
    is_early = and_(assignment.released_at.is_(None), or_(end.is_(None), end > func.now(), _is_written(assignment)))
    is_hiding = or_(is_early, _is_written(assignment, user_id))
    return and_(assignment.shows != "all", is_hiding, is_student)


def _is_written(assignment: type[Assignment], user_id: Id | None = None) -> ColumnElement[bool]:
    """Whether anyone, or this student, is writing the exam. A sitting is settled a few seconds after its end."""
    sitting = aliased(Sitting)
    running = select(sitting.user_id).where(sitting.assignment_id == assignment.id, ~sitting.is_settled)
    if user_id is not None:
        running = running.where(sitting.user_id == user_id)
    return and_(assignment.kind == "exam", running.correlate_except(sitting).exists())


def _select_end(assignment: type[Assignment], user_id: Id) -> ColumnElement[datetime | None]:
    """Select when all results are shown: None until the release, and not before the student, or the exam, is done."""
    return case((assignment.shows_at.is_not(None), func.greatest(assignment.shows_at, *_closes(assignment, user_id))))


def _closes(assignment: type[Assignment], user_id: Id) -> tuple[ColumnElement[Any], ScalarSelect[Any]]:
    """Select when an exam can last be begun by anyone, and when the assignment closes by extensions, or NULL.

    Of homework, the extensions are those of this student. `find_window` says the same.
    """
    member = aliased(Member)
    is_own = and_(member.course_id == assignment.course_id, member.user_id == user_id)
    applies = or_(assignment.kind == "exam", Extension.user_id == member.user_id, Extension.section == member.section)
    last = func.max(func.greatest(assignment.closes_at, Extension.due_at, Extension.closes_at))
    query = select(last).select_from(Extension).join(member, and_(is_own, applies))
    extended = query.where(Extension.assignment_id == assignment.id).correlate_except(Extension, member)
    return case((assignment.kind == "exam", assignment.closes_at)), extended.scalar_subquery()


def _select_hiding_assignment() -> Select[Any]:
    """Select the assignments with the problem that hide results from the user now.

    An exam does so from the student's beginning on: a refusal before would tell its problems.
    """
    is_own = and_(Member.course_id == Course.id, Member.user_id == bindparam("user_id"), Member.left_at.is_(None))
    query = select(Assignment.id).join(Course, Course.id == Assignment.course_id).join(Member, is_own)
    sitting = exists().where(Sitting.assignment_id == Assignment.id, Sitting.user_id == Member.user_id)
    is_begun = and_(Course.state == "open", Assignment.opens_at <= func.now(), or_(Assignment.kind != "exam", sitting))
    has_problem = Assignment.problems.any(problem_id=bindparam("problem_id"))
    query = query.where(is_begun, has_problem, _hides(Assignment, Member.user_id)).order_by(Assignment.due_at)
    return query.limit(1)


# Built once, because each submission runs it: building takes longer than running.
_HIDING_ASSIGNMENT = _select_hiding_assignment()


def require_practice(session: Session, user_id: UUID, problem_id: UUID) -> None:
    """Raises ResultsHidden if practice would tell the student what an assignment with this problem hides."""
    assignment_id = session.scalar(_HIDING_ASSIGNMENT, {"user_id": user_id, "problem_id": problem_id})
    if assignment_id is not None:
        hidden = disclosure_of(session, assignment_id, user_id, user_id)
        text = f"{hidden.sentence} So you can't practise its problems now. You can run the samples."
        raise ResultsHidden(text)
