"""Exams: a student begins, sees and ends the own sitting, and staff see and change all of them."""

from datetime import datetime
from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, StrictBool

from app.api.assignments import Assignment
from app.api.courses import Course, CourseReader, CourseTaker
from app.api.dependency import Address, ShortSliced, Stored, act_as
from app.api.openapi import locates
from app.api.request_state import read_place
from app.courses.assignment import MAX_MINUTES, MAX_PASSWORD, get_assignment
from app.courses.role import CourseRight, get_seat
from app.courses.sitting import (
    PasswordWrong,
    RunningExam,
    SittingRow,
    SittingState,
    add_minutes,
    begin,
    get_running,
    get_sitting,
    list_sittings,
    resume,
    unlock,
)
from app.database.cursor import NextCursor, cut_list
from app.submissions.exam_end import end_sitting
from app.submissions.hand_in import HandedIn, count_handed_in
from app.validation import Body

router = APIRouter(tags=["courses"])
PATH = "/courses/{course}/assignments/{assignment}"


class Beginning(Body):
    """The exam's password, or an empty text if it has none."""

    password: str = Field("", max_length=MAX_PASSWORD)


class OwnSitting(BaseModel):
    """Your exam, which goes on with the token that began it."""

    started_at: datetime
    ends_at: datetime = Field(description="your own end, by the server's clock; staff may move it")
    seconds_left: int
    notice: str = Field(description="a notice of the staff to all; may be empty")


class SittingView(BaseModel):
    """A student of the course, and what the student does in the exam."""

    member: UUID
    username: str
    name: str
    section: str
    state: SittingState
    started_at: datetime | None
    ends_at: datetime | None
    addresses: list[str] = Field(
        description="where it was begun, and each further address from where it went on: the network changed, or "
        "another person uses a copied session"
    )
    handed_in: int = Field(description="the number of problems")
    drafts: int = Field(description="how many drafts were handed in at the end")


class SittingList(BaseModel):
    items: list[SittingView]
    next: NextCursor


class SittingChange(Body):
    """What you leave out stays as it is."""

    more_minutes: int = Field(0, ge=0, le=MAX_MINUTES, description="added to what the student has")
    ended: StrictBool | None = Field(None, description="true: end it now; false: let the student go on")
    unlocked: StrictBool = Field(False, description="true: it goes on in the session or token that continues it next")


@router.post(
    PATH + "/sitting",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the sitting's path")},
    summary="Begin an exam",
)
def post_sitting(
    request: Request,
    response: Response,
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    beginning: Beginning,
) -> OwnSitting:
    """Your time starts. Until you end the exam, this token opens only its calls, and nothing else is open to you.

    After staff have unlocked it, the same call lets it go on with this token.
    """
    with database.transaction() as session:
        seat = get_seat(session, viewer, course)
        exam = get_assignment(session, seat, assignment)
        place = read_place(request, viewer.credential_id)
        running = begin(session, act_as(viewer, address), seat, exam, place, beginning.password)
    if running is None:
        raise PasswordWrong
    response.headers["Location"] = f"/api/v1{running.path}/sitting"
    return _view_own(running)


@router.get(PATH + "/sitting", summary="The exam that you are writing")
def get_own_sitting(database: Stored, viewer: CourseReader, course: Course, assignment: Assignment) -> OwnSitting:
    with database.transaction() as session:
        exam = get_assignment(session, get_seat(session, viewer, course), assignment)
        running = get_running(session, viewer.id, exam)
    return _view_own(running)


@router.delete(PATH + "/sitting", status_code=HTTPStatus.NO_CONTENT, summary="End the exam that you are writing")
def delete_sitting(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, assignment: Assignment
) -> None:
    """Nothing can be handed in after it. If the exam says so, your drafts are handed in now."""
    with database.transaction() as session:
        exam = get_assignment(session, get_seat(session, viewer, course), assignment)
        end_sitting(session, act_as(viewer, address), get_running(session, viewer.id, exam).sitting)


@router.get(PATH + "/sittings", summary="Who writes an exam")
def get_sittings(
    database: Stored, viewer: CourseReader, course: Course, assignment: Assignment, wanted: ShortSliced
) -> SittingList:
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.EXTEND)
        exam = get_assignment(session, seat, assignment)
        handed_in = count_handed_in(session, exam.id)
        views = [_view(row, handed_in) for row in list_sittings(session, exam)]
    items, following = cut_list(views, lambda each: each.member, wanted)
    return SittingList(items=list(items), next=following)


@router.patch(
    PATH + "/sittings/{member_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Extend, end or unlock a student's exam",
)
def patch_sitting(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    member_id: UUID,
    change: SittingChange,
) -> None:
    actor = act_as(viewer, address)
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.EXTEND)
        exam = get_assignment(session, seat, assignment)
        if change.more_minutes:
            add_minutes(session, actor, seat, exam, member_id, change.more_minutes)
        if change.unlocked:
            unlock(session, actor, get_sitting(session, exam, member_id))
        if change.ended is not None:
            (end_sitting if change.ended else resume)(session, actor, get_sitting(session, exam, member_id))


def _view_own(exam: RunningExam) -> OwnSitting:
    clock = exam.clock
    return OwnSitting(
        started_at=exam.sitting.started_at,
        ends_at=clock.ends_at,
        seconds_left=clock.seconds_left,
        notice=clock.notice,
    )


def _view(row: SittingRow, handed_in: dict[UUID, HandedIn]) -> SittingView:
    sent = handed_in.get(row.member.user_id, HandedIn()) if row.member.user_id else HandedIn()
    return SittingView(
        member=row.member.id,
        username=row.username,
        name=row.member.name,
        section=row.member.section,
        state=row.state,
        started_at=row.sitting.started_at if row.sitting else None,
        ends_at=row.window.closes_at if row.sitting else None,
        addresses=row.sitting.addresses if row.sitting else [],
        handed_in=sent.problems,
        drafts=sent.drafts,
    )
