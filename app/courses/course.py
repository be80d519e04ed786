"""Courses: create and change one, list a user's, and join one with its code."""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, StringConstraints
from sqlalchemy import case, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.audit import Act, Actor, record
from app.catalog.model import Problem
from app.courses.member import WasRemoved
from app.courses.model import Assignment, AssignmentProblem, Course, CourseRole, CourseState, Member
from app.courses.role import CourseRight, Seat, select_seats, take_seat
from app.database.engine import is_storable, storable
from app.errors import Invalid, NotFound
from app.validation import ONE_LINE, Body, FrozenModel, Moment

MAX_TITLE = 120
MAX_DESCRIPTION = 20_000
# Without characters that look alike. 10 of them have 49 bits, which the rate limit keeps from being guessed.
CODE_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
CODE_CHARACTERS = 10
MAX_SLUG = 48
# So that nobody deletes a course by a slip.
LEAST_KEPT = timedelta(days=30)
# Addresses of pages.
RESERVED = frozenset({"new", "join", "claim"})


def _check_storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError("should be without NUL and without halves of characters")
    return text


def _check_timezone(name: str) -> str:
    if name not in list_timezones():
        raise ValueError("should be the name of a time zone, such as Europe/Berlin")
    return name


@cache
def list_timezones() -> tuple[str, ...]:
    """List the names of places, and UTC."""
    regions = (
        "Africa",
        "America",
        "Antarctica",
        "Arctic",
        "Asia",
        "Atlantic",
        "Australia",
        "Europe",
        "Indian",
        "Pacific",
    )
    return ("UTC", *sorted(name for name in available_timezones() if name.partition("/")[0] in regions))


Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE), ONE_LINE]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION), AfterValidator(_check_storable)]
TimeZone = Annotated[str, AfterValidator(_check_timezone)]
KEEP_UNTIL_SAYS = "then the course is deleted with everything that was handed in; null: it is kept"
TIME_ZONE_SAYS = "the time zone of its dates, such as `Europe/Berlin`"


class NewCourse(Body):
    """The course to create. You become its instructor."""

    title: Title = Field(examples=["Deep learning, winter 2026"])
    timezone: TimeZone = Field(description=TIME_ZONE_SAYS, examples=["Europe/Berlin"])
    description: Description = Field("", description="Markdown")


class CourseChange(Body):
    """A field that you leave out stays as it is."""

    title: Title = Field("", examples=["Deep learning, winter 2026"])
    timezone: TimeZone = Field("", description=TIME_ZONE_SAYS, examples=["Europe/Berlin"])
    description: Description = Field("", description="Markdown")
    state: CourseState = Field(
        "draft", description="`draft`: only staff see it; `open`; `archived`: members can read it, and it takes no more"
    )
    drop_lowest: int = Field(0, ge=0, le=100, description="so many assignments, the lowest, do not count in the total")
    keep_until: Moment | None = Field(None, description=KEEP_UNTIL_SAYS)


class CourseView(FrozenModel):
    """A course as one viewer sees it."""

    slug: str = Field(examples=["deep-learning-winter-2026"])
    title: str
    description: str = Field(description="Markdown")
    timezone: str
    state: CourseState
    role: CourseRole = Field(description="what you are in the course")
    drop_lowest: int
    keep_until: datetime | None = Field(description=KEEP_UNTIL_SAYS)
    students: int = Field(description="the number of students, pending ones included")
    join_code: str | None = Field(
        description="with this code, users join as students; null: none, or not for you to see"
    )
    join_until: datetime | None = Field(description="when the code ends; null: never")


class CodeWrong(NotFound):
    def __init__(self) -> None:
        super().__init__("This join code is wrong, or it has ended. Ask your instructor for the current one.")


def create_course(session: Session, actor: Actor, wanted: NewCourse) -> Course:
    """Create a draft. The actor becomes its instructor."""
    course = _insert(session, actor, wanted)
    session.add(Member(course_id=course.id, user_id=actor.user_id, role="instructor", joined_at=func.now()))
    session.flush()
    record(session, actor, Act(action="course.created", target=course.id, after={"slug": course.slug}))
    return course


def _insert(session: Session, actor: Actor, wanted: NewCourse) -> Course:
    base, number = make_slug(wanted.title, "course"), 1
    while True:
        slug = base if number == 1 else f"{base}-{number}"
        values = {"slug": slug, "created_by": actor.user_id, **wanted.model_dump()}
        made: Course | None = session.scalar(
            insert(Course).values(values).on_conflict_do_nothing(index_elements=[Course.slug]).returning(Course)
        )
        if made is not None:
            return made
        number += 1


def make_slug(title: str, otherwise: str) -> str:
    """Return the words of a title for an address, or `otherwise` if it has none."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:MAX_SLUG].strip("-") or otherwise
    return f"{slug}-1" if slug in RESERVED else slug


def change_course(session: Session, actor: Actor, seat: Seat, change: CourseChange) -> None:
    """Change what `change` sets. The caller has checked the right. Raises Invalid for a `keep_until` that is near."""
    fields = [name for name in change.model_fields_set if getattr(seat.course, name) != getattr(change, name)]
    if "keep_until" in fields and change.keep_until and change.keep_until < datetime.now(UTC) + LEAST_KEPT:
        raise Invalid("keep_until", f"The course would be deleted within {LEAST_KEPT.days} days. Choose a later date.")
    before, after = _tell(seat.course, fields), _tell(change, fields)
    for name in fields:
        setattr(seat.course, name, getattr(change, name))
    if fields:
        _record_change(session, actor, seat.course, before, after)


def _tell(source: Course | CourseChange, fields: Iterable[str]) -> dict[str, Any]:
    """Return the fields for the audit log."""
    values = {name: getattr(source, name) for name in fields}
    return {name: str(value) if isinstance(value, datetime) else value for name, value in values.items()}


def part_with_problems(session: Session, course_ids: Sequence[UUID]) -> None:
    """Give the problems of courses that are deleted to the newest other course that uses them; else they are drafts."""
    of_problem = (AssignmentProblem.problem_id == Problem.id, Course.id.not_in(course_ids))
    heir = select(Course.id).join(Assignment, Assignment.course_id == Course.id).join(AssignmentProblem)
    newest = heir.where(*of_problem).order_by(Course.created_at.desc()).limit(1).correlate(Problem).scalar_subquery()
    availability = case((newest.is_(None), "draft"), else_=Problem.availability)
    given = update(Problem).where(Problem.course_id.in_(course_ids))
    session.execute(given.values(course_id=newest, availability=availability))


def renew_join_code(session: Session, actor: Actor, seat: Seat, until: datetime | None = None) -> None:
    """Make a new join code, which replaces the old one. Raises Invalid for a time that has passed."""
    if until is not None and until <= datetime.now(UTC):
        raise Invalid(
            "until", f"The join code would end at {until:%Y-%m-%d %H:%M %Z}, which has passed. Choose a later time."
        )
    seat.course.join_code = "".join(secrets.choice(CODE_ALPHABET) for _ in range(CODE_CHARACTERS))
    seat.course.join_until = until
    _record_change(session, actor, seat.course, None, {"join_code": "renewed"})


def end_join_code(session: Session, actor: Actor, seat: Seat) -> None:
    seat.course.join_code = seat.course.join_until = None
    _record_change(session, actor, seat.course, None, {"join_code": "ended"})


def _record_change(
    session: Session, actor: Actor, course: Course, before: Mapping[str, Any] | None, after: Mapping[str, Any]
) -> None:
    record(session, actor, Act(action="course.changed", target=course.id, before=before, after=after))


def find_course_by_code(session: Session, code: str) -> Course:
    """Return the open course that takes this code now. Raises CodeWrong."""
    is_now = (Course.join_until.is_(None)) | (Course.join_until > func.now())
    typed = re.sub(r"[\s-]", "", storable(code)).lower()
    course = session.scalar(select(Course).where(Course.join_code == typed, is_now, Course.state == "open"))
    if course is None:
        raise CodeWrong
    return course


def join_course(session: Session, viewer: Viewer, code: str) -> Course:
    """Join as a student. A member does not change. Raises CodeWrong and WasRemoved."""
    course = find_course_by_code(session, code)
    made = insert(Member).values(course_id=course.id, user_id=viewer.id, joined_at=func.now())
    session.execute(made.on_conflict_do_nothing(index_elements=[Member.course_id, Member.user_id]))
    own = select(Member).where(Member.course_id == course.id, Member.user_id == viewer.id)
    if session.scalars(own).one().left_at is not None:
        raise WasRemoved(course)
    return course


def list_seats(session: Session, viewer: Viewer) -> list[Seat]:
    """List the viewer's seats in courses, the newest course first. Admins have a seat in all courses."""
    found = session.execute(select_seats(viewer).order_by(Course.created_at.desc(), Course.slug))
    return [seat for course, member in found if (seat := take_seat(viewer, course, member))]


def view_course(session: Session, seat: Seat) -> CourseView:
    return view_courses(session, [seat])[0]


def view_courses(session: Session, seats: Sequence[Seat]) -> list[CourseView]:
    is_student = (Member.role == "student", Member.left_at.is_(None))
    counted = select(Member.course_id, func.count()).where(*is_student).group_by(Member.course_id)
    here = Member.course_id.in_([seat.course.id for seat in seats])
    counts = {row[0]: row[1] for row in session.execute(counted.where(here))}
    return [_view_one(seat, counts.get(seat.course.id, 0)) for seat in seats]


def _view_one(seat: Seat, students: int) -> CourseView:
    course, has_code = seat.course, seat.may(CourseRight.CHANGE_COURSE)
    return CourseView(
        slug=course.slug,
        title=course.title,
        description=course.description,
        timezone=course.timezone,
        state=course.state,
        role=seat.role,
        drop_lowest=course.drop_lowest,
        keep_until=course.keep_until,
        students=students,
        join_code=course.join_code if has_code else None,
        join_until=course.join_until if has_code else None,
    )
