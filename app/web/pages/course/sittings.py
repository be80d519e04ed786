"""An exam as its staff see it: who writes it, extending, ending and unlocking, and a notice to all."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from markupsafe import Markup
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.audit import Actor
from app.courses.assignment import get_assignment
from app.courses.model import Assignment, Sitting
from app.courses.role import CourseRight, Seat, get_seat
from app.courses.sitting import (
    add_minutes,
    get_sitting,
    give_notice,
    list_sittings,
    pin_again,
    resume,
    unlock,
)
from app.errors import Invalid, NotFound
from app.submissions.exam_end import end_sitting
from app.submissions.hand_in import HandedIn, count_handed_in
from app.submissions.progress import ChangeStream
from app.validation import ONE_LINE
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, Visit, hold_stream, see_other

router = APIRouter(prefix=HOME + "/{course}/assignments/{assignment}/sittings")
MOST_MINUTES = 1440
Notice = Annotated[str, Form(max_length=500), ONE_LINE]
DONE = {
    "minutes": "Given. The clock of the student follows.",
    "end": "Ended. The last drafts are handed in, if the exam says so.",
    "unlock": "Unlocked. The student can go on with “Begin”, in any browser.",
    "resume": "The student can go on.",
    "notice": "All students who are writing see it.",
    "revisions": "What is handed in from now on is judged by the newest revisions. Rejudge the others.",
}


@router.get("")
def show_sittings(visit: CurrentVisit, viewer: Reader, course: str, assignment: str, done: str = "") -> Response:
    with visit.transaction() as session:
        seat, exam = _find(session, viewer, course, assignment)
        rows = _render_rows(session, seat, exam)
    context = {"assignment": exam, "rows": Markup(rows), "done": DONE.get(done)}
    return visit.render("course/sittings.html", course_context(seat) | context)


@router.get("/table")
def show_table(visit: CurrentVisit, viewer: Reader, course: str, assignment: str) -> Response:
    with visit.transaction() as session:
        rows = _render_rows(session, *_find(session, viewer, course, assignment))
    return Response(rows, media_type="text/html", headers=HEADERS)


def hold_table(
    visit: CurrentVisit, viewer: Reader, course: str, assignment: str
) -> Iterator[tuple[UUID, ChangeStream]]:
    """Hold one of the user's streams; a dependency, so that a stream is refused before it starts."""
    with visit.transaction() as session:
        exam_id = _find(session, viewer, course, assignment)[1].id
    with hold_stream(visit, viewer, Permission.READ_COURSES) as changes:
        yield exam_id, changes


@router.get("/events", response_class=EventSourceResponse)
async def stream_table(
    course: str, assignment: str, held: Annotated[tuple[UUID, ChangeStream], Depends(hold_table)]
) -> AsyncIterator[ServerSentEvent]:
    """Send the table on every change."""
    exam_id, changes = held

    def read(session: Session, viewer: Viewer) -> str:
        return _render_rows(session, *_find(session, viewer, course, assignment))

    async with aclosing(changes.stream(exam_id, read)) as tables:
        async for table in tables:
            yield ServerSentEvent(event="result", raw_data=table)


@router.post("/{member_id}/minutes", dependencies=[OWN_ORIGIN])
def send_minutes(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    member_id: UUID,
    minutes: Annotated[int, Form(ge=1, le=MOST_MINUTES)],
) -> Response:
    def give(session: Session, seat: Seat, exam: Assignment) -> None:
        add_minutes(session, visit.actor, seat, exam, member_id, minutes)

    return _change(visit, viewer, (course, assignment), give, "minutes")


@router.post("/{member_id}/end", dependencies=[OWN_ORIGIN])
def send_end(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, member_id: UUID) -> Response:
    return _change_sitting(visit, viewer, (course, assignment, member_id), end_sitting, "end")


@router.post("/{member_id}/unlock", dependencies=[OWN_ORIGIN])
def send_unlock(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, member_id: UUID) -> Response:
    return _change_sitting(visit, viewer, (course, assignment, member_id), unlock, "unlock")


@router.post("/{member_id}/resume", dependencies=[OWN_ORIGIN])
def send_resume(visit: CurrentVisit, viewer: Taker, course: str, assignment: str, member_id: UUID) -> Response:
    return _change_sitting(visit, viewer, (course, assignment, member_id), resume, "resume")


@router.post("/notice", dependencies=[OWN_ORIGIN])
def send_notice(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    notice: Notice = "",
) -> Response:
    def give(session: Session, _: Seat, exam: Assignment) -> None:
        give_notice(session, visit.actor, exam, notice)

    return _change(visit, viewer, (course, assignment), give, "notice")


@router.post("/revisions", dependencies=[OWN_ORIGIN])
def send_revisions(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    notice: Notice,
) -> Response:
    """Instructors only. The students are told why."""

    def pin(session: Session, seat: Seat, exam: Assignment) -> None:
        seat.require(CourseRight.CHANGE_COURSE)
        if not notice.strip():
            raise Invalid("notice", "Tell the students what has changed.")
        pin_again(session, visit.actor, exam, notice)

    return _change(visit, viewer, (course, assignment), pin, "revisions")


def _find(session: Session, viewer: Viewer, course: str, assignment: str) -> tuple[Seat, Assignment]:
    """Raises NotFound and Refused."""
    seat = get_seat(session, viewer, course, CourseRight.EXTEND)
    exam = get_assignment(session, seat, assignment)
    if exam.kind != "exam":
        raise NotFound(f"{exam.title} is no exam.")
    return seat, exam


def _change(
    visit: Visit,
    viewer: Viewer,
    place: tuple[str, str],
    step: Callable[[Session, Seat, Assignment], None],
    done: str,
) -> Response:
    with visit.transaction() as session:
        step(session, *_find(session, viewer, *place))
    return see_other(f"{HOME}/{place[0]}/assignments/{place[1]}/sittings?done={done}")


def _change_sitting(
    visit: Visit,
    viewer: Viewer,
    place: tuple[str, str, UUID],
    step: Callable[[Session, Actor, Sitting], None],
    done: str,
) -> Response:
    def change(session: Session, _: Seat, exam: Assignment) -> None:
        step(session, visit.actor, get_sitting(session, exam, place[2]))

    return _change(visit, viewer, place[:2], change, done)


def _render_rows(session: Session, seat: Seat, exam: Assignment) -> str:
    rows = list_sittings(session, exam)
    context = {
        "sittings": rows,
        "handed_in": count_handed_in(session, exam.id),
        "most": len(exam.problems),
        "none_sent": HandedIn(),
    }
    place = {"course": seat.course, "path": f"{HOME}/{seat.course.slug}/assignments/{exam.slug}/sittings"}
    return render_text("course/sitting_rows.html", context | place)
