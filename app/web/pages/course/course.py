"""The page of a course, its settings and its join code."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Response
from pydantic import BaseModel, Field

from app.api.request_state import get_settings
from app.courses.assignment import list_assignments, view_assignments
from app.courses.course import (
    MAX_DESCRIPTION,
    MAX_TITLE,
    CourseChange,
    change_course,
    end_join_code,
    list_timezones,
    renew_join_code,
)
from app.courses.course_copy import CopyWish, copy_course
from app.courses.local_time import HappensTwice, read_local, write_fold, write_local
from app.courses.role import CourseRight, Seat, get_seat
from app.errors import Invalid
from app.validation import read_fields
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Creator, Reader, Taker
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}")

DONE = {
    "joined": "Welcome: you are a student of this course.",
    "saved": "Saved.",
    "code": "New join code. The old one has ended.",
    "ended": "The join code has ended.",
    "copied": "Copied. Look at the dates, then upload the roster.",
}


class SettingsForm(BaseModel):
    title: str = ""
    description: str = ""
    timezone: str = ""
    state: str = ""
    drop_lowest: str = "0"
    keep_until: str = ""
    keep_until_offset: str = ""

    def read(self, timezone: str) -> CourseChange:
        """Raises Invalid."""
        values = self.model_dump(exclude={"keep_until_offset"}) | {
            "keep_until": read_local("keep_until", self.keep_until, timezone, self.keep_until_offset),
            "title": self.title.strip(),
            "description": self.description.replace("\r\n", "\n"),
        }
        return read_fields(CourseChange, values)


class JoinCodeForm(BaseModel):
    act: Literal["renew", "end"] = "renew"
    until: str = ""
    until_offset: str = ""


class CopyForm(BaseModel):
    title: str = Field("", alias="copy_title")
    weeks: str = Field("", alias="copy_weeks")


def course_context(seat: Seat) -> dict[str, Any]:
    """Return what every page of a course shows around its content."""
    return {"course": seat.course, "seat": seat, "home": f"{HOME}/{seat.course.slug}"}


@router.get("")
def show_course(visit: CurrentVisit, viewer: Reader, course: str, done: str = "") -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course)
        assignments = view_assignments(session, seat, viewer.id, list_assignments(session, seat))
    context = course_context(seat) | {"assignments": assignments, "done": DONE.get(done)}
    return visit.render("course/home.html", context)


@router.get("/settings")
def show_settings(visit: CurrentVisit, viewer: Reader, course: str, done: str = "") -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
    return _render_settings(visit, seat, {"done": DONE.get(done)})


@router.post("/settings", dependencies=[OWN_ORIGIN])
def send_settings(visit: CurrentVisit, viewer: Taker, course: str, form: Annotated[SettingsForm, Form()]) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        try:
            change_course(session, visit.actor, seat, form.read(seat.course.timezone))
        except Invalid as fault:
            errors = fault.by_field
            offsets = {"keep_until": fault.offsets} if isinstance(fault, HappensTwice) else {}
            context = {"values": form.model_dump(), "errors": errors, "offsets": offsets}
            return _render_settings(visit, seat, context, 422)
    return see_other(f"{HOME}/{course}/settings?done=saved")


@router.post("/join-code", dependencies=[OWN_ORIGIN])
def send_join_code(visit: CurrentVisit, viewer: Taker, course: str, form: Annotated[JoinCodeForm, Form()]) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        if form.act == "end":
            end_join_code(session, visit.actor, seat)
            return see_other(f"{HOME}/{course}/settings?done=ended#join-code")
        try:
            until = read_local("until", form.until, seat.course.timezone, form.until_offset)
            renew_join_code(session, visit.actor, seat, until)
        except Invalid as fault:
            offsets = {"until": fault.offsets} if isinstance(fault, HappensTwice) else {}
            context = {"code_values": form.model_dump(), "errors": {"until": str(fault)}, "offsets": offsets}
            return _render_settings(visit, seat, context, 422)
    return see_other(f"{HOME}/{course}/settings?done=code#join-code")


@router.post("/copy", dependencies=[OWN_ORIGIN])
def send_copy(visit: CurrentVisit, viewer: Creator, course: str, form: Annotated[CopyForm, Form()]) -> Response:
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
            made = copy_course(session, visit.actor, seat, read_fields(CopyWish, form.model_dump()))
    except Invalid as fault:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        errors = {f"copy_{each.field}": str(each) for each in fault.each}
        return _render_settings(visit, seat, {"errors": errors, "copy_values": form.model_dump()}, 422)
    return see_other(f"{HOME}/{made.slug}?done=copied")


def _render_settings(visit: Visit, seat: Seat, context: dict[str, Any], status: int = 200) -> Response:
    course = seat.course
    usual: dict[str, Any] = {
        "values": {
            **{name: getattr(course, name) for name in ("title", "description", "timezone", "state", "drop_lowest")},
            "keep_until": write_local(course.keep_until, course.timezone),
            "keep_until_offset": write_fold(course.keep_until, course.timezone),
        },
        "code_values": {
            "until": write_local(course.join_until, course.timezone),
            "until_offset": write_fold(course.join_until, course.timezone),
        },
        "copy_values": {"title": course.title, "weeks": "52"},
        "errors": {},
        "offsets": {},
        "done": None,
        "timezones": list_timezones(),
        "bounds": {"title": MAX_TITLE, "description": MAX_DESCRIPTION},
        "join_link": f"{get_settings(visit.request).base_url}/courses/join?code={course.join_code}",
    }
    return visit.render("course/settings.html", course_context(seat) | usual | context, status)
