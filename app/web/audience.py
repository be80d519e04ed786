"""The choice on pages of who can open a problem: an availability, or `course:` with the slug of the course."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.model import Availability, Problem
from app.courses.course import list_seats
from app.courses.model import Course
from app.web.render import availability_words

FOR_COURSE = "course:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """A choice. `value` is what a form sends."""

    value: str
    name: str
    meaning: str


def list_audiences(session: Session, author: Viewer, availabilities: Iterable[Availability]) -> list[Audience]:
    """List the choices, with each course of which the author is an instructor."""
    words = {each: availability_words(each) for each in availabilities}
    courses = (
        [seat.course for seat in list_seats(session, author) if seat.role == "instructor"] if "course" in words else []
    )
    meant = words.pop("course").meaning if courses else ""
    words.pop("course", None)
    plain = [Audience(value=each, name=word.name, meaning=word.meaning) for each, word in words.items()]
    own = [Audience(value=f"{FOR_COURSE}{each.slug}", name=each.title, meaning=meant) for each in courses]
    return [*plain, *own]


def find_audience(session: Session, slug: str) -> str:
    """Return the choice that holds for a problem."""
    query = select(Problem.availability, Course.slug).outerjoin(Course, Course.id == Problem.course_id)
    availability, course = session.execute(query.where(Problem.slug == slug)).one()
    return f"{FOR_COURSE}{course}" if availability == "course" else availability


def read_audience(value: str) -> dict[str, str]:
    """Return the fields of an `AvailabilityWish`."""
    course = value.removeprefix(FOR_COURSE)
    return {"availability": value} if course == value else {"availability": "course", "course": course}
