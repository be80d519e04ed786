"""Instructors rejudge the hand-ins of their own assignment: begin, see whose grades would change, apply or cancel."""

from collections.abc import Callable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Response
from pydantic import BaseModel
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.audit import Actor
from app.courses.assignment import get_assignment
from app.courses.model import Assignment
from app.courses.role import CourseRight, Seat, get_seat
from app.errors import Conflict, Invalid, NotFound
from app.grading.grade_change import keep_points, list_grade_changes
from app.rejudging.choice import Choice, preview
from app.rejudging.create import MAX_NOTE, Rejudge, get_rejudging, rejudge
from app.rejudging.decision import apply, cancel
from app.rejudging.model import Onto, Rejudging
from app.rejudging.view import list_of_assignment, view_rejudging
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}/assignments/{assignment}/rejudgings")


class RejudgeForm(BaseModel):
    onto: Onto = "current"
    note: str = ""


@router.get("")
def show_rejudgings(visit: CurrentVisit, viewer: Reader, course: str, assignment: str) -> Response:
    return _render_list(visit, viewer, (course, assignment), {})


@router.post("", dependencies=[OWN_ORIGIN])
def send_rejudging(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, form: Annotated[RejudgeForm, Form()]
) -> Response:
    try:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, (course, assignment))
            begun = _begin(session, visit.actor, _key(seat, found), form)
    except (Conflict, Invalid) as fault:
        context = {"message": str(fault), "values": form.model_dump()}
        return _render_list(visit, viewer, (course, assignment), context, 422)
    return see_other(f"{HOME}/{course}/assignments/{assignment}/rejudgings/{begun.id}")


@router.get("/{rejudging_id}")
def show_rejudging(
    visit: CurrentVisit, viewer: Reader, course: str, assignment: str, rejudging_id: str, kept: int | None = None
) -> Response:
    return _render(visit, viewer, (course, assignment, rejudging_id), kept=kept)


@router.post("/{rejudging_id}/apply", dependencies=[OWN_ORIGIN])
def send_apply(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, rejudging_id: str) -> Response:
    return _decide(visit, viewer, (course, assignment, rejudging_id), apply)


@router.post("/{rejudging_id}/keep", dependencies=[OWN_ORIGIN])
def send_keep(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    rejudging_id: str,
    reason: Annotated[str, Form()] = "",
) -> Response:
    place = (course, assignment, rejudging_id)
    try:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, place[:2])
            seat.require(CourseRight.GRADE)
            row = _get_own(session, _key(seat, found), rejudging_id)
            kept = keep_points(session, visit.actor, seat, found, row, reason.strip())
    except (Conflict, Invalid) as fault:
        return _render(visit, viewer, place, str(fault))
    return see_other(f"{HOME}/{course}/assignments/{assignment}/rejudgings/{rejudging_id}?kept={kept}")


@router.post("/{rejudging_id}/cancel", dependencies=[OWN_ORIGIN])
def send_cancel(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, rejudging_id: str) -> Response:
    return _decide(visit, viewer, (course, assignment, rejudging_id), cancel)


def _begin(session: Session, actor: Actor, key: str, form: RejudgeForm) -> Rejudging:
    """Raises Invalid, and Conflict while another rejudging of the assignment waits for its decision."""
    if any(each.decided_at is None for each in list_of_assignment(session, key)):
        raise Conflict("A rejudging of this assignment is not decided yet. Apply or cancel it first.")
    return rejudge(session, actor, Rejudge(choice=Choice(assignment=key), onto=form.onto, note=form.note.strip()))


def _decide(
    visit: Visit, viewer: Viewer, place: tuple[str, str, str], step: Callable[[Session, UUID, Actor], object]
) -> Response:
    try:
        with visit.transaction() as session:
            seat, found = _find(session, viewer, place[:2])
            step(session, _get_own(session, _key(seat, found), place[2]).id, visit.actor)
    except Conflict as fault:
        return _render(visit, viewer, place, str(fault))
    return see_other(f"{HOME}/{place[0]}/assignments/{place[1]}/rejudgings/{place[2]}")


def _find(session: Session, viewer: Viewer, place: tuple[str, str]) -> tuple[Seat, Assignment]:
    seat = get_seat(session, viewer, place[0], CourseRight.REJUDGE)
    return seat, get_assignment(session, seat, place[1])


def _key(seat: Seat, assignment: Assignment) -> str:
    return f"{seat.course.slug}/{assignment.slug}"


def _get_own(session: Session, key: str, rejudging_id: str) -> Rejudging:
    """Raises NotFound, also for a rejudging of other submissions."""
    missing = NotFound("This assignment has no such rejudging. See the list of its rejudgings.")
    try:
        found = get_rejudging(session, UUID(rejudging_id))
    except ValueError:
        raise missing from None
    if found.chosen.get("assignment") != key:
        raise missing
    return found


def _render_list(
    visit: Visit, viewer: Viewer, place: tuple[str, str], context: dict[str, Any], status: int = 200
) -> Response:
    with visit.transaction() as session:
        seat, found = _find(session, viewer, place)
        key = _key(seat, found)
        rejudgings = list_of_assignment(session, key)
        selected = preview(session, Choice(assignment=key), "current")
    usual = {"assignment": found, "rejudgings": rejudgings, "preview": selected, "most": MAX_NOTE}
    usual |= {"message": "", "values": RejudgeForm().model_dump()}
    return visit.render("course/rejudgings.html", course_context(seat) | usual | context, status)


def _render(
    visit: Visit, viewer: Viewer, place: tuple[str, str, str], message: str = "", kept: int | None = None
) -> Response:
    with visit.transaction() as session:
        seat, found = _find(session, viewer, place[:2])
        row = _get_own(session, _key(seat, found), place[2])
        context = {
            "assignment": found,
            "view": view_rejudging(session, row),
            "grade_changes": list_grade_changes(session, row) if row.decision != "cancelled" else [],
            "message": message,
            "kept": kept,
        }
    return visit.render("course/rejudging.html", course_context(seat) | context, 409 if message else 200)
