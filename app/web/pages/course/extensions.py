"""The extensions of an assignment: list, give and take back, also as a table with a preview."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.courses.assignment import get_assignment
from app.courses.extension import ExtensionWish, extend, list_extensions, remove_extension
from app.courses.extension_table import apply_extensions, plan_extensions
from app.courses.local_time import read_local
from app.courses.member import list_members, list_sections
from app.courses.model import Assignment
from app.courses.role import CourseRight, Seat, get_seat
from app.errors import Invalid, Refused
from app.validation import read_fields
from app.web.pages.course.assignments import describe_fault
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.pages.course.members import TableForm
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}/assignments/{assignment}/extensions")
DONE = {
    "extended": "The extension is given, and takes effect at once.",
    "taken": "The extension is taken back.",
    "table": "The extensions are given, and take effect at once.",
}
NAMES = {
    "opens_at": "Opens",
    "due_at": "Due",
    "closes_at": "Closes",
    "extra_attempts": "More attempts",
    "extra_minutes": "More minutes",
    "reason": "Reason",
}


class ExtensionForm(BaseModel):
    """`whose`: the ID of a member, or `section:` and its name."""

    whose: str = ""
    due_at: str = ""
    due_at_offset: str = ""
    closes_at: str = ""
    closes_at_offset: str = ""
    extra_attempts: str = "0"
    extra_minutes: str = "0"
    reason: str = ""

    def read(self, timezone: str) -> ExtensionWish:
        """Raises Invalid."""
        kind, _, name = self.whose.partition(":")
        whose = {"section": name} if kind == "section" else {"member": self.whose or None}
        moments = {
            each: read_local(each, getattr(self, each), timezone, getattr(self, f"{each}_offset"))
            for each in ("due_at", "closes_at")
        }
        values = {"extra_attempts": self.extra_attempts or 0, "extra_minutes": self.extra_minutes or 0}
        values |= {"reason": self.reason.strip()}
        return read_fields(ExtensionWish, whose | moments | values)


@router.get("")
def show_extensions(visit: CurrentVisit, viewer: Reader, course: str, assignment: str, done: str = "") -> Response:
    return _render_extensions(visit, viewer, (course, assignment), {"done": DONE.get(done)})


@router.post("", dependencies=[OWN_ORIGIN])
def send_extension(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, form: Annotated[ExtensionForm, Form()]
) -> Response:
    def give(session: Session, seat: Seat, found: Assignment) -> None:
        extend(session, visit.actor, seat, found, [form.read(seat.course.timezone)])

    try:
        _change(visit, viewer, (course, assignment), give)
    except Invalid as fault:
        context = {"values": form.model_dump()} | describe_fault(fault)
        return _render_extensions(visit, viewer, (course, assignment), context, 422)
    return see_other(f"{HOME}/{course}/assignments/{assignment}/extensions?done=extended")


@router.post("/{extension_id}/remove", dependencies=[OWN_ORIGIN])
def send_removal(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, extension_id: UUID) -> Response:
    def remove(session: Session, _: Seat, found: Assignment) -> None:
        remove_extension(session, visit.actor, found, extension_id)

    _change(visit, viewer, (course, assignment), remove)
    return see_other(f"{HOME}/{course}/assignments/{assignment}/extensions?done=taken")


@router.get("/table")
def show_table(visit: CurrentVisit, viewer: Reader, course: str, assignment: str) -> Response:
    return _render_table(visit, viewer, (course, assignment), {})


@router.post("/table", dependencies=[OWN_ORIGIN])
def send_table(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, form: Annotated[TableForm, Form()]
) -> Response:
    text = form.read()
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.EXTEND)
            found = get_assignment(session, seat, assignment)
            plan = plan_extensions(session, seat, found, text)
            if form.act == "apply" and not plan.faults:
                apply_extensions(session, visit.actor, seat, found, plan)
                return see_other(f"{HOME}/{course}/assignments/{assignment}/extensions?done=table")
    except (Invalid, Refused) as fault:
        return _render_table(visit, viewer, (course, assignment), {"text": text, "errors": {"csv": str(fault)}}, 422)
    status = 422 if plan.faults else 200
    return _render_table(visit, viewer, (course, assignment), {"text": text, "plan": plan}, status)


def _change(
    visit: Visit, viewer: Viewer, place: tuple[str, str], step: Callable[[Session, Seat, Assignment], object]
) -> None:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, place[0], CourseRight.EXTEND)
        step(session, seat, get_assignment(session, seat, place[1]))


def _render_extensions(
    visit: Visit, viewer: Viewer, place: tuple[str, str], context: Mapping[str, Any], status: int = 200
) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, place[0], CourseRight.EXTEND)
        assignment = get_assignment(session, seat, place[1])
        extensions = list_extensions(session, assignment)
        members = [each for each in list_members(session, seat) if each.role == "student" and each.username]
        sections = list_sections(session, seat.course.id)
    whose = [(f"section:{name}", f"Section {name}") for name in sections]
    whose += [(str(each.id), f"{each.name} ({each.username})" if each.name else f"{each.username}") for each in members]
    usual: dict[str, Any] = {"errors": {}, "offsets": {}, "values": ExtensionForm().model_dump(), "done": None}
    usual |= {"assignment": assignment, "extensions": extensions, "whose": whose}
    return visit.render("course/extensions.html", course_context(seat) | usual | dict(context), status)


def _render_table(
    visit: Visit, viewer: Viewer, place: tuple[str, str], context: Mapping[str, Any], status: int = 200
) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, place[0], CourseRight.EXTEND)
        assignment = get_assignment(session, seat, place[1])
    usual: dict[str, Any] = {"text": "", "plan": None, "errors": {}, "assignment": assignment, "names": NAMES}
    usual["base"] = f"{HOME}/{seat.course.slug}/assignments/{assignment.slug}/extensions"
    return visit.render("course/extension_table.html", course_context(seat) | usual | dict(context), status)
