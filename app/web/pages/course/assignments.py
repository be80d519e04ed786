"""Assignments of a course: their page, the form that creates and changes them, and handing in."""

import re
from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.api.request_limits import await_hand_in_turn, read_waited
from app.api.request_state import find_exam, get_queue_waits
from app.catalog.access import IS_LISTED
from app.catalog.name import list_named
from app.courses.assignment import (
    MAX_STEPS,
    AssignmentFields,
    belongs_to,
    change_assignment,
    create_assignment,
    delete_assignment,
    get_assignment,
    read_fields_of,
    view_assignments,
)
from app.courses.disclosure import disclosure_of
from app.courses.local_time import HappensTwice, read_local, write_fold, write_local
from app.courses.model import Assignment
from app.courses.role import CourseRight, Seat, get_seat
from app.courses.sitting import PasswordWrong
from app.errors import Conflict, Invalid, LimitReached, Refused, all_of
from app.grading.book import read_own_row
from app.grading.feedback import RegradeText, ask_regrade, list_comments, list_requests_of
from app.grading.grade import show_points
from app.grading.hand_ins import hide_results, list_hand_ins
from app.policy import read_policy
from app.submissions.hand_in import find_hand_in
from app.submissions.quota import SubmitLimits
from app.submissions.submit import submit
from app.validation import read_fields
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.pages.course.exam import describe_exam, refuse_in_exam
from app.web.pages.problem import SolutionForm, refuse_solution
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}/assignments")
Sender = Annotated[Viewer, needs(Permission.SUBMIT, HOME)]
DATES = ("opens_at", "due_at", "closes_at", "shows_at")
EMPTY_ROWS = 3
_STEP = re.compile(r"(\d+)\s*h?\s*[:=]\s*(\d+)\s*%?")
DONE = {
    "created": "Created. Students see its problems when it opens.",
    "saved": "Saved. Every grade follows at once.",
    "asked": "Your question is sent. You see the answer here.",
}


class AssignmentForm(BaseModel):
    """The form, with times in the course's zone and a row for each problem."""

    title: str = ""
    text: str = ""
    opens_at: str = ""
    opens_at_offset: str = ""
    due_at: str = ""
    due_at_offset: str = ""
    closes_at: str = ""
    closes_at_offset: str = ""
    late_steps: str = ""
    grace_seconds: str = "60"
    counts: str = "best"
    attempts: str = ""
    weight: str = "1"
    shows: str = "all"
    shows_at: str = ""
    shows_at_offset: str = ""
    kind: str = "homework"
    minutes: str = ""
    password: str = ""
    networks: str = ""
    seb_keys: str = ""
    shows_hints: bool = False
    hands_in_draft: bool = False
    problem: list[str] = Field([])
    points: list[str] = Field([])
    scoring: list[str] = Field([])

    def read(self, timezone: str) -> AssignmentFields:
        """Raises Invalid for all wrong fields together."""
        found: list[Invalid] = []
        moments: dict[str, Any] = {}
        for name in DATES:
            try:
                offset = getattr(self, f"{name}_offset")
                moments[name] = read_local(name, getattr(self, name), timezone, offset)
            except Invalid as fault:
                found.append(fault)
        missing = [name for name in DATES[:2] if name in moments and moments[name] is None]
        found += [Invalid(name, "Choose a date and a time.") for name in missing]
        if found:
            raise all_of(found)
        rows = zip(self.problem, self.points, self.scoring, strict=False)
        values = {
            **{
                name: getattr(self, name)
                for name in ("grace_seconds", "counts", "shows", "shows_hints", "kind", "hands_in_draft")
            },
            "weight": self.weight.replace(",", "."),
            "minutes": self.minutes or None,
            "password": self.password.strip(),
            "networks": self.networks.split(),
            "seb_keys": self.seb_keys.split(),
            "title": self.title.strip(),
            "text": self.text.replace("\r\n", "\n"),
            "late_steps": _read_steps(self.late_steps),
            "attempts": self.attempts or None,
            "problems": [
                {"problem": slug.strip(), "points": points.replace(",", ".") or "10", "scoring": scoring}
                for slug, points, scoring in rows
                if slug.strip()
            ],
        }
        return read_fields(AssignmentFields, values | moments)


def _read_steps(text: str) -> list[dict[str, int]]:
    """Read `24 h: 80 %, 72 h: 50 %`. Raises Invalid."""
    parts = [part.strip() for part in text.split(",") if part.strip()][: MAX_STEPS + 1]
    steps = [_STEP.fullmatch(part) for part in parts]
    if None in steps:
        raise Invalid("late_steps", f"{text[:60]!r} should be hours and percents, such as 24 h: 80 %, 72 h: 50 %.")
    return [{"hours": int(step[1][:9]), "percent": int(step[2][:9])} for step in steps if step]


def write_steps(steps: list[dict[str, int]]) -> str:
    return ", ".join(f"{step['hours']} h: {step['percent']} %" for step in steps)


@router.get("/new")
def show_new(visit: CurrentVisit, viewer: Reader, course: str, kind: str = "homework") -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
    return _render_form(visit, seat, None, AssignmentForm(kind=kind, hands_in_draft=True, shows_hints=True))


@router.post("/new", dependencies=[OWN_ORIGIN])
def send_new(visit: CurrentVisit, viewer: Taker, course: str, form: Annotated[AssignmentForm, Form()]) -> Response:
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
            made = create_assignment(session, visit.actor, seat, form.read(seat.course.timezone))
    except Invalid as fault:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        return _render_form(visit, seat, None, form, fault)
    return see_other(f"{HOME}/{course}/assignments/{made.slug}?done=created")


@router.get("/{assignment}")
def show_assignment(visit: CurrentVisit, viewer: Reader, course: str, assignment: str, done: str = "") -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course)
        found = get_assignment(session, seat, assignment)
        view = view_assignments(session, seat, viewer.id, [found])[0]
        mine = [] if seat.is_staff else list_hand_ins(session, found, viewer.id)
        hidden = disclosure_of(session, found.id, viewer.id, viewer.id).sentence
        is_told = found.released_at is not None and not hidden and not seat.is_staff
        row = read_own_row(session, seat, viewer.id) if is_told else None
        comments = list_comments(session, [each.id for each in mine]) if is_told else {}
        requests = list_requests_of(session, found, viewer.id) if is_told else []
    grade = next((each for each in row.grades if each.assignment.id == found.id), None) if row else None
    mine = hide_results(mine) if hidden else mine
    context: dict[str, Any] = {
        "comments": comments,
        "requests": requests,
        "may_ask": is_told,
        "grade": grade,
        "mine": mine,
        "hidden": hidden,
        "show_points": show_points,
    }
    context |= {
        "assignment": view,
        "exam_rules": describe_exam(found),
        "done": DONE.get(done),
        "error": str(PasswordWrong()) if done == "password" else "",
        "steps": write_steps([s.model_dump() for s in view.late_steps]),
    }
    return visit.render("course/assignment.html", course_context(seat) | context)


@router.post("/{assignment}/requests", dependencies=[OWN_ORIGIN])
def send_request(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, text: Annotated[str, Form()] = ""
) -> Response:
    """Ask for another look at one's own points."""
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course)
        if seat.is_staff:
            raise Refused("Only students ask about their points.")
        ask_regrade(session, visit.actor, get_assignment(session, seat, assignment), _read_request(text))
    return see_other(f"{HOME}/{course}/assignments/{assignment}?done=asked")


def _read_request(text: str) -> RegradeText:
    """Raises Invalid."""
    return read_fields(RegradeText, {"text": text.replace("\r\n", "\n").strip()})


@router.get("/{assignment}/edit")
def show_edit(visit: CurrentVisit, viewer: Reader, course: str, assignment: str) -> Response:
    with visit.transaction() as session:
        seat, found = _find(session, viewer, course, assignment)
        form = _fill(read_fields_of(session, found), seat.course.timezone)
    return _render_form(visit, seat, found, form)


@router.post("/{assignment}/edit", dependencies=[OWN_ORIGIN])
def send_edit(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, form: Annotated[AssignmentForm, Form()]
) -> Response:
    try:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, course, assignment)
            change_assignment(session, visit.actor, found, form.read(seat.course.timezone))
    except Invalid as fault:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, course, assignment)
        return _render_form(visit, seat, found, form, fault)
    return see_other(f"{HOME}/{course}/assignments/{assignment}?done=saved")


@router.post("/{assignment}/delete", dependencies=[OWN_ORIGIN])
def send_delete(visit: CurrentVisit, viewer: Taker, course: str, assignment: str) -> Response:
    try:
        with visit.transaction() as session:
            _, found = _find(session, viewer, course, assignment)
            delete_assignment(session, visit.actor, found)
    except Conflict as fault:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, course, assignment)
            form = _fill(read_fields_of(session, found), seat.course.timezone)
        return _render_form(visit, seat, found, form, Invalid("form", str(fault)))
    return see_other(f"{HOME}/{course}")


@router.post(
    "/{assignment}/problems/{slug}/submissions",
    dependencies=[OWN_ORIGIN, Depends(await_hand_in_turn, scope="function")],
)
def send_hand_in(
    visit: CurrentVisit,
    viewer: Sender,
    course: str,
    assignment: str,
    slug: str,
    form: Annotated[SolutionForm, Form()],
) -> Response:
    """Hand in, or run the samples, which is no attempt."""
    waits = get_queue_waits(visit.request)
    try:
        with visit.transaction() as session:
            hand_in = find_hand_in(session, viewer, course, assignment, slug, read_waited(visit.request))
            if form.mode == "own" and hand_in.assignment.kind == "exam":
                raise Invalid("inputs", "An exam has no custom input. Run the samples.")
            wanted = form.wanted(viewer.id, slug, hand_in if form.mode == "submit" else None, hand_in.revision_id)
            submission = submit(session, wanted, SubmitLimits.of(read_policy(session), waits))
    except (Conflict, Invalid, LimitReached) as fault:
        if exam := find_exam(visit.request):
            return refuse_in_exam(visit, exam, slug, form, fault)
        return refuse_solution(visit, slug, form, fault, f"{course}/{assignment}")
    return see_other(f"/submissions/{submission.id}")


def _find(session: Session, viewer: Viewer, course: str, assignment: str) -> tuple[Seat, Assignment]:
    seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
    return seat, get_assignment(session, seat, assignment)


def _fill(fields: AssignmentFields, timezone: str) -> AssignmentForm:
    """Return the form of an assignment that exists."""
    values: dict[str, Any] = {}
    for name in DATES:
        moment = getattr(fields, name)
        is_shown = name != "closes_at" or moment != fields.due_at
        values[name] = write_local(moment, timezone) if is_shown else ""
        values[f"{name}_offset"] = write_fold(moment, timezone) if is_shown else ""
    return AssignmentForm(
        **values,
        **{name: str(getattr(fields, name)) for name in ("title", "text", "grace_seconds", "counts", "shows", "kind")},
        minutes=str(fields.minutes or ""),
        password=fields.password,
        networks="\n".join(fields.networks),
        seb_keys="\n".join(fields.seb_keys),
        hands_in_draft=fields.hands_in_draft,
        shows_hints=fields.shows_hints,
        weight=_plain(fields.weight),
        attempts="" if fields.attempts is None else str(fields.attempts),
        late_steps=write_steps([step.model_dump() for step in fields.late_steps]),
        problem=[each.problem for each in fields.problems],
        points=[_plain(each.points) for each in fields.problems],
        scoring=[each.scoring for each in fields.problems],
    )


def _plain(number: Decimal) -> str:
    return f"{number:f}".rstrip("0").rstrip(".") if "." in f"{number:f}" else f"{number:f}"


def describe_fault(fault: Invalid | None) -> dict[str, Any]:
    """Return the context of a form's wrong fields."""
    each = fault.each if fault else ()
    offsets = {one.field: one.offsets for one in each if isinstance(one, HappensTwice)}
    return {"errors": {one.field: str(one) for one in each}, "offsets": offsets}


def _render_form(
    visit: Visit, seat: Seat, assignment: Assignment | None, form: AssignmentForm, fault: Invalid | None = None
) -> Response:
    with visit.transaction() as session:
        listed = list_named(session, IS_LISTED | belongs_to(seat.course.id))
    rows = [row for row in zip(form.problem, form.points, form.scoring, strict=False) if row[0].strip()]
    rows += [("", "10", "partial")] * EMPTY_ROWS
    context = {"assignment": assignment, "values": form.model_dump(), "rows": rows, "listed": listed}
    return visit.render(
        "course/assignment_form.html", course_context(seat) | context | describe_fault(fault), 422 if fault else 200
    )
