"""The learning platforms of a course: what is linked, rosters from there, and scores that did not arrive."""

from typing import Any

from fastapi import APIRouter, Response

from app.accounts.permission import Viewer
from app.admin.export import write_csv
from app.api.request_state import get_platforms
from app.courses.role import CourseRight, get_seat
from app.courses.roster import plan_roster
from app.errors import AllcloseError, Conflict, Invalid
from app.lti.fetch import PlatformAway, PlatformRefused
from app.lti.link import get_linked, list_linked, unlink_course
from app.lti.roster import COLUMNS, read_roster
from app.lti.score import report_scores, send_again
from app.web.address import LinkedId
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.pages.course.members import render_roster
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}/platforms")
DONE = {"again": "The scores are sent again within a minute.", "unlinked": "No longer linked."}


@router.get("")
def show_platforms(visit: CurrentVisit, viewer: Reader, course: str, done: str = "") -> Response:
    return _render(visit, viewer, course, {"done": DONE.get(done)})


@router.post("/{linked_id}/scores", dependencies=[OWN_ORIGIN])
def send_scores(visit: CurrentVisit, viewer: Taker, course: str, linked_id: LinkedId) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.GRADE)
        send_again(session, get_linked(session, seat, linked_id).linked)
    return see_other(f"{HOME}/{course}/platforms?done=again")


@router.post("/{linked_id}/unlink", dependencies=[OWN_ORIGIN])
def send_unlink(visit: CurrentVisit, viewer: Taker, course: str, linked_id: LinkedId) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        unlink_course(session, visit.actor, get_linked(session, seat, linked_id))
    return see_other(f"{HOME}/{course}/platforms?done=unlinked")


@router.post("/{linked_id}/roster", dependencies=[OWN_ORIGIN])
def preview_roster(visit: CurrentVisit, viewer: Taker, course: str, linked_id: LinkedId) -> Response:
    """Show what the platform's roster would change; the page's own form applies it."""
    with visit.transaction() as session:
        found = get_linked(session, get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS), linked_id)
    try:
        text = "".join(write_csv(COLUMNS, read_roster(get_platforms(visit.request), found))).removeprefix("\ufeff")
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.CHANGE_MEMBERS)
            plan = plan_roster(session, seat, text)
            return render_roster(visit, seat, {"text": text, "plan": plan}, 422 if plan.faults else 200)
    except (PlatformAway, PlatformRefused, Conflict, Invalid) as fault:
        return _render(visit, viewer, course, {"fault": _say(found.platform.name, fault)}, 422)


def _say(name: str, fault: AllcloseError) -> str:
    return f"The roster of {name} can't be read: {fault}"


def _render(visit: Visit, viewer: Viewer, course: str, context: dict[str, Any], status: int = 200) -> Response:
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        links = [(found, report_scores(session, found.linked)) for found in list_linked(session, seat.course.id)]
    usual: dict[str, Any] = {"links": links, "done": None, "fault": ""}
    return visit.render("course/platforms.html", course_context(seat) | usual | context, status)
