"""The members of a course, its roster and the personal links of pending members."""

from collections.abc import Callable
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import APIRouter, Form, Response, UploadFile
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.archive import send_csv
from app.api.request_state import get_settings
from app.courses.member import (
    MAX_SECTION,
    MAX_TEXT,
    MemberChange,
    NewMember,
    add_member,
    change_member,
    get_member_view,
    list_members,
    list_sections,
    make_links,
    remove_member,
)
from app.courses.role import CourseRight, Seat, get_seat
from app.courses.roster import RosterChoice, apply_roster, plan_roster
from app.errors import Conflict, Invalid, Refused
from app.validation import read_fields
from app.web.address import MemberId
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}/members")
COLUMNS = ("number", "name", "email", "username", "section")
DONE = {
    "added": "Added.",
    "saved": "Saved.",
    "removed": "Removed. Work that was handed in stays.",
    "roster": "The roster is applied.",
}


class AddForm(BaseModel):
    username: str = ""
    role: str = "student"
    section: str = ""


class MemberForm(BaseModel):
    name: str = ""
    number: str = ""
    section: str = ""
    time_factor: str = "1"
    role: str | None = None
    username: str = ""

    def read(self) -> MemberChange:
        """Raises Invalid."""
        given = self.model_dump(exclude_none=True) | {"time_factor": self.time_factor.replace(",", ".")}
        return read_fields(MemberChange, {name: text for name, text in given.items() if name != "username" or text})


class TableForm(BaseModel):
    """`apply`: after the preview. `file` replaces what was typed."""

    csv: str = ""
    file: UploadFile | str | None = None
    act: str = "preview"

    def read(self) -> str:
        """Return the table."""
        if self.file is None or isinstance(self.file, str) or not self.file.filename:
            return self.csv
        data = self.file.file.read()
        try:
            return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        except UnicodeDecodeError:
            return data.decode("cp1252", errors="replace")


class RosterForm(TableForm):
    removes_gone: bool = False
    takes_accounts: bool = False


@router.get("")
def show_members(visit: CurrentVisit, viewer: Reader, course: str, section: str = "", done: str = "") -> Response:
    return _render(visit, viewer, course, {"section": section or None, "done": DONE.get(done)})


@router.post("", dependencies=[OWN_ORIGIN])
def send_member(visit: CurrentVisit, viewer: Taker, course: str, form: Annotated[AddForm, Form()]) -> Response:
    def add(session: Session, seat: Seat) -> None:
        add_member(session, visit.actor, seat, read_fields(NewMember, form.model_dump()))

    try:
        _change(visit, viewer, course, add)
    except (Invalid, Conflict) as fault:
        field = fault.field if isinstance(fault, Invalid) else "username"
        context = {"errors": {field: str(fault)}, "values": form.model_dump()}
        return _render(visit, viewer, course, context, 422)
    return see_other(f"{HOME}/{course}/members?done=added")


@router.get("/roster")
def show_roster(visit: CurrentVisit, viewer: Reader, course: str) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
    return render_roster(visit, seat, {})


@router.post("/roster", dependencies=[OWN_ORIGIN])
def send_roster(visit: CurrentVisit, viewer: Taker, course: str, form: Annotated[RosterForm, Form()]) -> Response:
    text = form.read()
    choice = RosterChoice(removes_gone=form.removes_gone, takes_accounts=form.takes_accounts)
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
            plan = plan_roster(session, seat, text)
            if form.act != "apply" or plan.faults:
                return render_roster(visit, seat, {"text": text, "plan": plan}, 422 if plan.faults else 200)
            apply_roster(session, visit.actor, seat, plan, choice)
    except (Invalid, Refused) as fault:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        return render_roster(visit, seat, {"text": text, "errors": {"csv": str(fault)}}, 422)
    return see_other(f"{HOME}/{course}/members?done=roster")


@router.get("/roster.csv")
def send_file(visit: CurrentVisit, viewer: Reader, course: str) -> Response:
    """Send the members as a table that `send_roster` takes."""
    with visit.transaction() as session:
        members = list_members(session, get_seat(session, viewer, course, CourseRight.SEE_MEMBERS))
    students = [member.model_dump() for member in members if member.role == "student"]
    return send_csv(COLUMNS, students, f"{course}-roster.csv")


@router.post("/links", dependencies=[OWN_ORIGIN])
def send_links(visit: CurrentVisit, viewer: Taker, course: str) -> Response:
    base_url = get_settings(visit.request).base_url
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
        links = make_links(session, visit.actor, seat)
        people = [(link.member.name, link.member.email, link.member.number, link.address(base_url)) for link in links]
    return visit.render("course/links.html", course_context(seat) | {"people": people})


@router.get("/{member_id}")
def show_member(visit: CurrentVisit, viewer: Reader, course: str, member_id: MemberId) -> Response:
    return _render_member(visit, viewer, course, member_id)


@router.post("/{member_id}", dependencies=[OWN_ORIGIN])
def send_change(
    visit: CurrentVisit, viewer: Taker, course: str, member_id: MemberId, form: Annotated[MemberForm, Form()]
) -> Response:
    def change(session: Session, seat: Seat) -> None:
        change_member(session, visit.actor, seat, member_id, form.read())

    try:
        _change(visit, viewer, course, change)
    except (Invalid, Conflict, Refused) as fault:
        field = fault.field if isinstance(fault, Invalid) else "form"
        return _render_member(visit, viewer, course, member_id, {field: str(fault)}, form)
    return see_other(f"{HOME}/{course}/members?done=saved")


@router.post("/{member_id}/remove", dependencies=[OWN_ORIGIN])
def send_remove(visit: CurrentVisit, viewer: Taker, course: str, member_id: MemberId) -> Response:
    try:
        _change(visit, viewer, course, lambda session, seat: remove_member(session, visit.actor, seat, member_id))
    except Conflict as fault:
        return _render_member(visit, viewer, course, member_id, {"form": str(fault)})
    return see_other(f"{HOME}/{course}/members?done=removed")


def _change(visit: Visit, viewer: Viewer, course: str, step: Callable[[Session, Seat], object]) -> None:
    with visit.transaction() as session:
        step(session, get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS))


def _render(visit: Visit, viewer: Viewer, course: str, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_MEMBERS)
        members = list_members(session, seat, cast(str | None, context.get("section")))
        sections = list_sections(session, seat.course.id)
    usual: dict[str, Any] = {
        "members": members,
        "sections": sections,
        "errors": {},
        "values": AddForm().model_dump(),
        "done": None,
    }
    usual |= {"section": None, "pending": sum(member.state == "pending" for member in members)}
    return visit.render("course/members.html", course_context(seat) | usual | context, status)


def _render_member(
    visit: Visit,
    viewer: Viewer,
    course: str,
    member_id: UUID,
    errors: dict[str, str] | None = None,
    form: MemberForm | None = None,
) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_MEMBERS)
        member = get_member_view(session, seat, member_id)
    values = form.model_dump() if form else member.model_dump(mode="json") | {"username": ""}
    context = {"member": member, "values": values, "errors": errors or {}, "most": (MAX_TEXT, MAX_SECTION)}
    return visit.render("course/member.html", course_context(seat) | context, 422 if errors else 200)


def render_roster(visit: Visit, seat: Seat, context: dict[str, Any], status: int = 200) -> Response:
    usual: dict[str, Any] = {"text": "", "plan": None, "errors": {}}
    return visit.render("course/roster.html", course_context(seat) | usual | context, status)
