"""Decide who can find and open a problem, and who may read its files.

- listed: everyone, and it is in lists, tracks, searches and suggestions.
- unlisted: everyone who knows the address.
- draft: authors only.
- course: the members of a course, once an assignment with the problem has opened for them, and of an exam once they
  have begun it. The course's staff always, and admins.
- withdrawn: as before, and it takes no submissions.

A problem with `course_id` belongs to that course, also as a draft and when it is withdrawn: only the course's
instructors with the role author, and admins, may read its files. The availability belongs to the problem and not to a
revision, so publishing a new revision does not change it. Submissions, histories and solved problems stay in every
state.
"""

from typing import get_args
from uuid import UUID

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    DateTime,
    FromClause,
    Text,
    Uuid,
    and_,
    column,
    exists,
    func,
    or_,
    select,
    table,
)
from sqlalchemy.orm import Session, aliased

from app.accounts.model import Role, User
from app.accounts.permission import ADMINS, AUTHORS
from app.catalog.model import Availability, Problem
from app.database.engine import storable
from app.errors import ProblemNotFound

AVAILABILITIES: tuple[Availability, ...] = get_args(Availability)
# Problems in lists, tracks, searches and suggestions.
IS_LISTED = Problem.availability == "listed"

UserId = UUID | BindParameter[UUID]
_USER = aliased(User)


def _table(name: str, *ids: str, **columns: type[Text | DateTime]) -> FromClause:
    """A table of `app/courses`, which builds on this package."""
    return table(name, *(column(each, Uuid) for each in ids), *(column(each, columns[each]) for each in columns))


_COURSES = _table("courses", "id", state=Text).c
_MEMBERS = _table("members", "course_id", "user_id", role=Text, section=Text, left_at=DateTime).c
_ASSIGNMENTS = _table("assignments", "id", "course_id", kind=Text, opens_at=DateTime).c
_PROBLEMS = _table("assignment_problems", "assignment_id", "problem_id").c
_EXTENSIONS = _table("extensions", "assignment_id", "user_id", section=Text, opens_at=DateTime).c
_SITTINGS = _table("sittings", "assignment_id", "user_id").c


def is_open_to(user_id: UserId | None) -> ColumnElement[bool]:
    """Whether the user may open the problem. Others are told that it does not exist."""
    is_public = and_(Problem.course_id.is_(None), Problem.availability != "draft")
    if user_id is None:
        return is_public
    is_taken = and_(Problem.availability != "draft", or_(_has_seat(user_id, "assistant"), _takes(user_id)))
    is_own = and_(Problem.course_id.is_not(None), is_taken)
    return or_(is_public, is_editable_by(user_id), is_own)


def is_editable_by(user_id: UserId) -> ColumnElement[bool]:
    """Whether an author may read and change the problem's files."""
    is_course_author = and_(_has_role(user_id, AUTHORS), _has_seat(user_id))
    of_course = or_(_has_role(user_id, ADMINS), is_course_author)
    return or_(and_(Problem.course_id.is_(None), _has_role(user_id, AUTHORS)), of_course)


def require_editable(session: Session, user_id: UUID, slug: str) -> None:
    """Raises ProblemNotFound for a problem whose files the author may not read. A slug without a problem is free."""
    closed = select(Problem.id).where(Problem.slug == storable(slug), ~is_editable_by(user_id))
    if session.scalar(closed) is not None:
        raise ProblemNotFound(slug)


def _has_role(user_id: UserId, roles: tuple[Role, ...]) -> ColumnElement[bool]:
    return exists().where(_USER.id == user_id, _USER.role.in_(roles))


def _has_seat(user_id: UserId, *roles: str) -> ColumnElement[bool]:
    """Whether the user is an instructor of the problem's course, or has one of the roles there."""
    is_own = and_(_MEMBERS.user_id == user_id, _MEMBERS.left_at.is_(None))
    return exists().where(is_own, _MEMBERS.course_id == Problem.course_id, _MEMBERS.role.in_(("instructor", *roles)))


def _takes(user_id: UserId) -> ColumnElement[bool]:
    """Whether an assignment with the problem has opened for the user. `find_window` says the same of its dates."""
    applies = or_(_EXTENSIONS.user_id == _MEMBERS.user_id, _EXTENSIONS.section == _MEMBERS.section)
    is_early = exists().where(_EXTENSIONS.assignment_id == _ASSIGNMENTS.id, _EXTENSIONS.opens_at <= func.now(), applies)
    is_begun = exists().where(_SITTINGS.assignment_id == _ASSIGNMENTS.id, _SITTINGS.user_id == _MEMBERS.user_id)
    is_opened = or_(
        and_(_ASSIGNMENTS.kind == "exam", is_begun),
        and_(_ASSIGNMENTS.kind == "homework", or_(_ASSIGNMENTS.opens_at <= func.now(), is_early)),
    )
    return exists().where(
        _PROBLEMS.problem_id == Problem.id,
        _ASSIGNMENTS.id == _PROBLEMS.assignment_id,
        _COURSES.id == _ASSIGNMENTS.course_id,
        and_(_MEMBERS.course_id == _COURSES.id, _MEMBERS.user_id == user_id, _MEMBERS.left_at.is_(None)),
        or_(_MEMBERS.role != "student", and_(_COURSES.state != "draft", is_opened)),
    )
