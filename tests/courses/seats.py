"""A course with staff, for tests of its parts."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Viewer, signed_in
from app.audit import Actor
from app.courses.model import Course
from app.courses.role import Seat, get_seat
from tests.factories import make_course, make_member, make_user


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """A course, and its instructor's seat."""

    course: Course
    instructor: User
    seat: Seat
    actor: Actor


def teach(session: Session, **columns: Any) -> Taught:
    course, user = make_course(session, **columns), make_user(session)
    make_member(session, course, user, "instructor")
    seat = get_seat(session, signed_in(user), course.slug)
    return Taught(course=course, instructor=user, seat=seat, actor=Actor(user_id=user.id, channel="api"))


def as_viewer(session: Session, username: str, course: Course | None = None) -> Viewer:
    """A user, who is a student of the course if one is given."""
    user = make_user(session, username)
    if course is not None:
        make_member(session, course, user)
    return signed_in(user)
