"""A user's courses; creating one; joining one with its code, or with a personal link."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from pydantic import BaseModel

from app.accounts.permission import Permission, Viewer
from app.courses.course import (
    MAX_TITLE,
    CodeWrong,
    NewCourse,
    create_course,
    find_course_by_code,
    join_course,
    list_seats,
    list_timezones,
    view_courses,
)
from app.courses.member import claim_by_link, get_link
from app.errors import Invalid, Refused
from app.validation import read_fields
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

HOME = "/courses"
router = APIRouter(prefix=HOME)
Reader = Annotated[Viewer, needs(Permission.READ_COURSES, HOME)]
Taker = Annotated[Viewer, needs(Permission.TAKE_COURSES, HOME)]
Creator = Annotated[Viewer, needs(Permission.CREATE_COURSES, HOME)]
OWN_ORIGIN = Depends(require_own_origin)


class CourseForm(BaseModel):
    title: str = ""
    timezone: str = ""


class CodeForm(BaseModel):
    code: str = ""


@router.get("")
def show_courses(visit: CurrentVisit, viewer: Reader) -> Response:
    with visit.transaction() as session:
        courses = view_courses(session, list_seats(session, viewer))
    return visit.render("course/courses.html", {"courses": courses})


@router.get("/new")
def show_new(visit: CurrentVisit, viewer: Creator) -> Response:  # noqa: ARG001
    return _render_new(visit, CourseForm(), {})


@router.post("/new", dependencies=[OWN_ORIGIN])
def send_new(visit: CurrentVisit, viewer: Creator, form: Annotated[CourseForm, Form()]) -> Response:  # noqa: ARG001
    try:
        wanted = read_fields(NewCourse, {"title": form.title.strip(), "timezone": form.timezone})
        with visit.transaction() as session:
            course = create_course(session, visit.actor, wanted)
    except Invalid as fault:
        return _render_new(visit, form, fault.by_field)
    return see_other(f"{HOME}/{course.slug}")


def _render_new(visit: Visit, form: CourseForm, errors: dict[str, str]) -> Response:
    context = {"values": form.model_dump(), "errors": errors, "timezones": list_timezones(), "max_title": MAX_TITLE}
    return visit.render("course/new.html", context, 422 if errors else 200)


@router.get("/join")
def show_join(visit: CurrentVisit, viewer: Reader, code: str = "") -> Response:  # noqa: ARG001
    """With a code, ask whether to join that course. Opening a link must change nothing."""
    if not code:
        return visit.render("course/join.html", {"code": "", "course": None, "errors": {}})
    try:
        with visit.transaction() as session:
            course = find_course_by_code(session, code)
    except CodeWrong as fault:
        return _refuse_code(visit, code, fault)
    return visit.render("course/join.html", {"code": code, "course": course, "errors": {}})


@router.post("/join", dependencies=[OWN_ORIGIN])
def send_join(visit: CurrentVisit, viewer: Taker, form: Annotated[CodeForm, Form()]) -> Response:
    try:
        with visit.transaction() as session:
            course = join_course(session, viewer, form.code)
    except (CodeWrong, Refused) as fault:
        return _refuse_code(visit, form.code, fault)
    return see_other(f"{HOME}/{course.slug}?done=joined")


def _refuse_code(visit: Visit, code: str, fault: Exception) -> Response:
    return visit.render("course/join.html", {"code": code, "course": None, "errors": {"code": str(fault)}}, 422)


@router.get("/claim/{secret}")
def show_claim(visit: CurrentVisit, viewer: Reader, secret: str) -> Response:  # noqa: ARG001
    """Ask whether to take the place. Opening a link must change nothing."""
    with visit.transaction() as session:
        course, member = get_link(session, secret)
    return visit.render("course/claim.html", {"course": course, "member": member, "secret": secret})


@router.post("/claim/{secret}", dependencies=[OWN_ORIGIN])
def send_claim(visit: CurrentVisit, viewer: Taker, secret: str) -> Response:
    with visit.transaction() as session:
        course = claim_by_link(session, visit.actor, viewer.user, secret)
    return see_other(f"{HOME}/{course.slug}?done=joined")
