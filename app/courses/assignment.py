"""Assignments: create, change, list and delete them, and give extensions."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from ipaddress import ip_network
from itertools import pairwise
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, Field, StringConstraints
from sqlalchemy import ColumnElement, and_, delete, func, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.audit import Act, Actor, record
from app.catalog.model import IS_CURRENT, Problem, Revision
from app.courses.course import Description, Title, make_slug
from app.courses.deadlines import Phase, Window, find_windows, unsettle
from app.courses.member import lock_course
from app.courses.model import (
    Assignment,
    AssignmentKind,
    AssignmentProblem,
    Counts,
    Course,
    Scoring,
    Shows,
    Sitting,
)
from app.courses.role import Seat
from app.database.engine import storable
from app.errors import Conflict, Invalid, NotFound
from app.validation import ONE_LINE, Body, FrozenModel, Moment

MAX_PROBLEMS = 50
MAX_STEPS = 10
MAX_ATTEMPTS = 1000
MAX_POINTS = Decimal(10_000)
MAX_HOURS = 24 * 365
MAX_MINUTES = 24 * 60
MAX_NETWORKS = 100
MAX_SEB_KEYS = 50
MAX_PASSWORD = 100
_SEB_KEY = re.compile("[0-9a-fA-F]{64}")
# No answer shows these fields, so a client can't send back what it has read.
KEPT = frozenset({"password", "networks", "seb_keys", "hands_in_draft"})
KEPT_SAYS = "A change that leaves it out keeps it"
SHOWS_SAYS = "what students see of the results until `shows_at`: all, those of the samples, or nothing"
HINTS_SAYS = "whether students get hints while it is open for them, also of known mistakes"
SHOWS_AT_SAYS = "from then on they see all results; null: once the points are released"


def _with_cents(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.01"))


Points = Annotated[Decimal, Field(ge=0, le=MAX_POINTS, decimal_places=2), AfterValidator(_with_cents)]


def _check_network(text: str) -> str:
    try:
        if "%" in text:  # a zone of one machine
            raise ValueError
        return str(ip_network(text.strip(), strict=False))
    except ValueError:
        raise ValueError("should be a network, such as 192.0.2.0/24 or 2001:db8::/32") from None


def _check_seb_key(text: str) -> str:
    if not _SEB_KEY.fullmatch(text):
        raise ValueError("should be a key of Safe Exam Browser: 64 digits and letters from a to f")
    return text.lower()


Password = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_PASSWORD), ONE_LINE]
Network = Annotated[str, AfterValidator(_check_network)]
SebKey = Annotated[str, Field(examples=["81aad4ab" * 8]), AfterValidator(_check_seb_key)]


class LateStep(Body):
    """Until so many hours after it is due, a hand-in has so many percent of its points."""

    hours: int = Field(ge=1, le=MAX_HOURS, examples=[24])
    percent: int = Field(ge=0, le=100, examples=[80])


class ProblemEntry(Body):
    """A problem of an assignment."""

    problem: str = Field(max_length=100, description="its slug", examples=["microbatched_grads"])
    points: Points = Field(Decimal("10.00"), examples=[10])
    scoring: Scoring = Field(
        "partial", description="`partial`: points by the score; `accepted`: all points if accepted, and else none"
    )


class AssignmentFields(Body):
    """An assignment."""

    title: Title = Field(examples=["Homework 1"])
    text: Description = Field("", description="Markdown, shown above the problems")
    problems: list[ProblemEntry] = Field(min_length=1, max_length=MAX_PROBLEMS, fail_fast=True)
    opens_at: Moment
    due_at: Moment = Field(description="later than `opens_at`")
    closes_at: Moment | None = Field(None, description="late work is taken until then; null: no late work")
    late_steps: list[LateStep] = Field(
        [], max_length=MAX_STEPS, description="the credit of late work; the last step holds until `closes_at`"
    )
    grace_seconds: int = Field(60, ge=0, le=300, description="seconds after each date that do not count as late")
    counts: Counts = Field("best", description="which hand-in of a problem counts")
    attempts: int | None = Field(None, ge=1, le=MAX_ATTEMPTS, description="hand-ins of each problem; null: any number")
    weight: Points = Field(Decimal("1.00"), description="its weight in the course", examples=[1])
    shows: Shows = Field("all", description=SHOWS_SAYS)
    shows_at: Moment | None = Field(None, description=SHOWS_AT_SAYS)
    shows_hints: bool = Field(True, description=HINTS_SAYS)
    kind: AssignmentKind = "homework"
    minutes: int | None = Field(None, ge=1, le=MAX_MINUTES, description="of an exam: the time that each student has")
    password: Password = Field("", description=f"of an exam: to begin it; empty: none. {KEPT_SAYS}")
    networks: list[Network] = Field(
        [], max_length=MAX_NETWORKS, description=f"of an exam: where it is written; empty: anywhere. {KEPT_SAYS}"
    )
    seb_keys: list[SebKey] = Field(
        [],
        max_length=MAX_SEB_KEYS,
        description=f"of an exam: Config Keys or Browser Exam Keys of Safe Exam Browser; empty: any. {KEPT_SAYS}",
    )
    hands_in_draft: bool = Field(True, description=f"of an exam: the last drafts are handed in at the end. {KEPT_SAYS}")


class EntryView(FrozenModel):
    problem: str = Field(description="its slug")
    title: str
    points: Decimal
    scoring: Scoring


class AssignmentView(FrozenModel):
    """An assignment with the dates that hold for you."""

    id: UUID
    slug: str
    title: str
    kind: AssignmentKind
    minutes: int | None
    text: str = Field(description="Markdown; empty for students before it opens")
    problems: tuple[EntryView, ...] = Field(
        description="empty for students before it opens, and before they begin an exam"
    )
    phase: Phase = Field(description="`before` it opens, `open`, `late` until it closes, `closed`")
    opens_at: datetime
    due_at: datetime
    closes_at: datetime
    late_steps: tuple[LateStep, ...]
    grace_seconds: int
    counts: Counts
    attempts: int | None
    weight: Decimal
    released_at: datetime | None = Field(description="from then on students see their points")
    shows: Shows = Field(description=SHOWS_SAYS)
    shows_at: datetime | None = Field(description=SHOWS_AT_SAYS)
    shows_hints: bool = Field(description=HINTS_SAYS)
    is_extended: bool = Field(description="an extension of yours changes the dates, attempts or minutes")
    is_begun: bool = Field(description="you have begun this exam; its dates are then those of your sitting")


class AssignmentNotFound(NotFound):
    def __init__(self, slug: object) -> None:
        super().__init__(f"This course has no assignment {str(slug)[:80]!r}. See the course's page.")


def create_assignment(session: Session, actor: Actor, seat: Seat, wanted: AssignmentFields) -> Assignment:
    """Raises Invalid."""
    slug = _find_free_slug(session, seat.course, wanted.title)
    assignment = Assignment(course_id=seat.course.id, slug=slug)
    _write(session, assignment, wanted)
    record(session, actor, Act(action="assignment.created", target=assignment.id, after=_dates(assignment)))
    return assignment


def change_assignment(session: Session, actor: Actor, assignment: Assignment, wanted: AssignmentFields) -> None:
    """Write all fields, and of KEPT those that are given. Grades follow at once, since they are computed.

    Raises Invalid.
    """
    before = _dates(assignment)
    _write(session, assignment, wanted)
    unsettle(session, assignment)
    record(
        session, actor, Act(action="assignment.changed", target=assignment.id, before=before, after=_dates(assignment))
    )


def read_fields_of(session: Session, assignment: Assignment) -> AssignmentFields:
    """Return what `change_assignment` would write unchanged."""
    slugs = {row.id: row.slug for row in session.execute(select(Problem.id, Problem.slug).where(_is_in(assignment)))}
    names = AssignmentFields.model_fields.keys() - {"problems", "late_steps"}
    values = {name: getattr(assignment, name) for name in names}
    entries = [
        ProblemEntry(problem=slugs[each.problem_id], points=each.points, scoring=each.scoring)
        for each in assignment.problems
    ]
    steps = [LateStep(**step) for step in assignment.late_steps]
    return AssignmentFields.model_construct(**values, problems=entries, late_steps=steps)


def delete_assignment(session: Session, actor: Actor, assignment: Assignment) -> None:
    """Raises Conflict if something was handed in, or if a student has begun the exam."""
    if session.scalar(select(Sitting.user_id).where(Sitting.assignment_id == assignment.id).limit(1)) is not None:
        raise Conflict("Students have begun this exam, so it stays. Set its weight to 0.")
    record(session, actor, Act(action="assignment.deleted", target=assignment.id, before=_dates(assignment)))
    try:
        with session.begin_nested():
            session.execute(delete(Assignment).where(Assignment.id == assignment.id))
    except IntegrityError:
        raise Conflict("Students have handed in work for this assignment, so it stays. Set its weight to 0.") from None


def _write(session: Session, assignment: Assignment, wanted: AssignmentFields) -> None:
    closes_at = wanted.closes_at or wanted.due_at
    _check_dates(wanted, closes_at)
    _check_shows(assignment, wanted)
    _check_exam(assignment, wanted)
    problems = _find_problems(session, assignment, wanted.problems)
    kept_fields = KEPT - wanted.model_fields_set
    for name in AssignmentFields.model_fields.keys() - {"problems", "late_steps", "closes_at"} - kept_fields:
        setattr(assignment, name, getattr(wanted, name))
    assignment.closes_at = closes_at
    assignment.late_steps = [step.model_dump() for step in wanted.late_steps]
    session.add(assignment)
    kept = {each.problem_id: each for each in assignment.problems}
    assignment.problems = [
        _fill(kept.get(problem_id) or AssignmentProblem(problem_id=problem_id), position, entry)
        for position, (problem_id, entry) in enumerate(zip(problems, wanted.problems, strict=True))
    ]
    session.flush()


def _fill(row: AssignmentProblem, position: int, entry: ProblemEntry) -> AssignmentProblem:
    row.position, row.points, row.scoring = position, entry.points, entry.scoring
    return row


def _check_dates(wanted: AssignmentFields, closes_at: datetime) -> None:
    """Raises Invalid."""
    if wanted.due_at <= wanted.opens_at:
        raise Invalid("due_at", "It would be due before it opens. Choose a later time.")
    if closes_at < wanted.due_at:
        raise Invalid("closes_at", "It would close before it is due. Choose a later time, or none.")
    if closes_at > wanted.due_at and not wanted.late_steps:
        raise Invalid("late_steps", "Say what late work earns, such as 24 h: 80 %, or take no late work.")
    for earlier, later in pairwise(wanted.late_steps):
        if later.hours <= earlier.hours or later.percent > earlier.percent:
            text = f"{later.hours} h: {later.percent} % stands after {earlier.hours} h: {earlier.percent} %"
            raise Invalid("late_steps", f"{text}. The hours must grow, and the percents must not.")


def _check_shows(assignment: Assignment, wanted: AssignmentFields) -> None:
    """Raises Invalid."""
    if wanted.shows_at is None:
        return
    if wanted.shows == "all":
        raise Invalid(
            "shows_at", "Students see all results at once. Remove the date, or choose what is hidden until then."
        )
    if assignment.released_at is not None and wanted.shows_at > datetime.now(UTC):
        raise Invalid("shows_at", "The points are released, and results would be hidden. Hide the points first.")


def _check_exam(assignment: Assignment, wanted: AssignmentFields) -> None:
    """Raises Invalid."""
    if (wanted.kind == "exam") != (wanted.minutes is not None):
        raise Invalid("minutes", "An exam needs the minutes that each student has. Only an exam has them.")
    if wanted.kind == "exam" and (wanted.late_steps or wanted.closes_at not in (None, wanted.due_at)):
        raise Invalid("closes_at", "An exam takes no late work. Give an extension with more minutes.")
    if assignment.kind != wanted.kind and assignment.id is not None:
        raise Invalid("kind", "The kind of an assignment stays. Make a new assignment.")


def _find_problems(session: Session, assignment: Assignment, entries: Sequence[ProblemEntry]) -> list[UUID]:
    """Return the problems' IDs. Raises Invalid for one that students can't open, and for one that stands twice."""
    slugs = [storable(entry.problem.strip()) for entry in entries]
    if repeated := next((slug for at, slug in enumerate(slugs) if slug in slugs[:at]), None):
        raise Invalid("problems", f"The problem {repeated[:80]!r} stands twice. Remove one.")
    is_public = Problem.availability.in_(("listed", "unlisted"))
    may_open = or_(is_public, belongs_to(assignment.course_id), _is_in(assignment))
    found = select(Problem.slug, Problem.id).where(Problem.slug.in_(slugs), Problem.current_revision_id.is_not(None))
    known = {row.slug: row.id for row in session.execute(found.where(may_open))}
    if unknown := next((slug for slug in slugs if slug not in known), None):
        raise Invalid(
            "problems", f"Students can open no problem {unknown[:80]!r}. Give the slug that its address ends with."
        )
    return [known[slug] for slug in slugs]


def belongs_to(course_id: UUID) -> ColumnElement[bool]:
    """Whether the problem is a course's own, and can be handed in."""
    return and_(Problem.availability == "course", Problem.course_id == course_id)


def _is_in(assignment: Assignment) -> ColumnElement[bool]:
    return Problem.id.in_(select(AssignmentProblem.problem_id).where(AssignmentProblem.assignment_id == assignment.id))


def _find_free_slug(session: Session, course: Course, title: str) -> str:
    lock_course(session, course.id)
    taken = set(session.scalars(select(Assignment.slug).where(Assignment.course_id == course.id)))
    base, number = make_slug(title, "assignment"), 1
    while (slug := base if number == 1 else f"{base}-{number}") in taken:
        number += 1
    return slug


def _dates(assignment: Assignment) -> dict[str, str]:
    return {name: getattr(assignment, name).isoformat() for name in ("opens_at", "due_at", "closes_at")}


def get_assignment(session: Session, seat: Seat, slug: str) -> Assignment:
    """Raises AssignmentNotFound."""
    of_course = (Assignment.course_id == seat.course.id, Assignment.slug == storable(slug))
    assignment = session.scalar(select(Assignment).where(*of_course))
    if assignment is None:
        raise AssignmentNotFound(slug)
    return assignment


def find_key(session: Session, assignment_id: UUID | None) -> str | None:
    """Return `COURSE/ASSIGNMENT`, as addresses name it."""
    query = select(Course.slug, Assignment.slug).join(Assignment, Assignment.course_id == Course.id)
    found = session.execute(query.where(Assignment.id == assignment_id)).one_or_none() if assignment_id else None
    return "/".join(found) if found else None


def list_assignments(session: Session, seat: Seat) -> list[Assignment]:
    """List the course's assignments by their dates."""
    query = select(Assignment).where(Assignment.course_id == seat.course.id)
    return list(session.scalars(query.order_by(Assignment.due_at, Assignment.created_at)))


def view_assignments(
    session: Session, seat: Seat, user_id: UUID, assignments: Sequence[Assignment]
) -> list[AssignmentView]:
    """Return the assignments as this user sees them, with the user's own dates."""
    windows = find_windows(session, assignments, user_id)
    now = session.scalars(select(func.now())).one()
    titles = _read_titles(session, assignments)
    return [
        _view(seat, each, (windows[each.id].of(user_id), user_id in windows[each.id].begun), now, titles)
        for each in assignments
    ]


def _view(
    seat: Seat,
    assignment: Assignment,
    dates: tuple[Window, bool],
    now: datetime,
    titles: Mapping[UUID, tuple[str, str]],
) -> AssignmentView:
    window, is_begun = dates
    is_shown = seat.is_staff or is_begun or (assignment.kind == "homework" and window.phase(now) != "before")
    return AssignmentView(
        **{
            name: getattr(assignment, name)
            for name in (
                *("id", "slug", "title", "kind", "minutes", "grace_seconds", "counts", "weight", "released_at"),
                *("shows", "shows_at", "shows_hints"),
            )
        },
        **{name: getattr(window, name) for name in ("opens_at", "due_at", "closes_at", "attempts", "is_extended")},
        is_begun=is_begun,
        text=assignment.text if is_shown or (assignment.kind == "exam" and window.phase(now) != "before") else "",
        problems=tuple(_view_entry(each, titles) for each in assignment.problems) if is_shown else (),
        phase=window.phase(now),
        late_steps=tuple(LateStep(**step) for step in assignment.late_steps),
    )


def _view_entry(row: AssignmentProblem, titles: Mapping[UUID, tuple[str, str]]) -> EntryView:
    slug, title = titles[row.problem_id]
    return EntryView(problem=slug, title=title, points=row.points, scoring=row.scoring)


def _read_titles(session: Session, assignments: Sequence[Assignment]) -> dict[UUID, tuple[str, str]]:
    ids = {each.problem_id for assignment in assignments for each in assignment.problems}
    title = Revision.listing["title"].astext
    rows = session.execute(
        select(Problem.id, Problem.slug, title).join(Revision, IS_CURRENT).where(Problem.id.in_(ids))
    )
    return {row[0]: (row[1], row[2]) for row in rows}
