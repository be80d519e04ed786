"""The grade book of a course: the matrix, one cell with its reasons, adjustments, release and export."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response
from pydantic import BaseModel, Field
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.archive import send_csv
from app.courses.assignment import get_assignment
from app.courses.deadlines import find_windows
from app.courses.member import MemberNotFound, list_sections
from app.courses.model import Assignment, Member
from app.courses.role import CourseRight, Seat, get_seat
from app.errors import Conflict, Invalid
from app.grading.adjustment import (
    NewAdjustment,
    adjust,
    list_adjustments,
    release,
    remove_adjustment,
    withhold,
)
from app.grading.book import BookRow, read_book, read_own_row
from app.grading.export import export_grades, read_slugs
from app.grading.feedback import (
    NewComment,
    RegradeText,
    add_comment,
    answer_regrade,
    list_comments,
    list_requests,
    list_requests_of,
    remove_comment,
)
from app.grading.grade import show_points
from app.grading.hand_ins import list_hand_ins
from app.validation import read_fields
from app.web.address import MemberId
from app.web.pages.course.course import course_context
from app.web.pages.course.courses import HOME, OWN_ORIGIN, Reader, Taker
from app.web.visit import CurrentVisit, Visit, see_other

router = APIRouter(prefix=HOME + "/{course}")
STUDENTS = 100
WAITING = 100
KINDS = {
    "points": "These points",
    "add": "Add points",
    "zero": "0 points",
    "excused": "Excused: not counted at all",
    "submission": "This hand-in counts",
}
DONE = {
    "released": "Released: students see their points.",
    "hidden": "Hidden from students again.",
    "decided": "Decided. The grade has changed at once.",
    "commented": "The comment is added.",
    "uncommented": "The comment is removed.",
    "answered": "Answered.",
}


class AdjustmentForm(BaseModel):
    problem: str = ""
    kind: str = "points"
    points: str = ""
    submission: str = ""
    reason: str = ""

    def read(self) -> NewAdjustment:
        """Raises Invalid."""
        values = {name: text.strip() or None for name, text in self.model_dump().items()}
        points = (values["points"] or "").replace(",", ".") or None
        return read_fields(NewAdjustment, values | {"points": points, "reason": self.reason.strip()})


class CommentForm(BaseModel):
    submission: str = Field("", alias="comment_on")
    line: str = ""
    text: str = Field("", alias="comment")

    def read(self) -> NewComment:
        """Raises Invalid."""
        values = {"submission": self.submission, "line": self.line.strip() or None, "text": self.text.strip()}
        return read_fields(NewComment, values)


class AnswerForm(BaseModel):
    text: str = Field("", alias="answer")


class ReleaseForm(BaseModel):
    released: bool = True


@router.get("/grades")
def show_grades(
    visit: CurrentVisit,
    viewer: Reader,
    course: str,
    section: str = "",
    start: Annotated[int, Query(alias="from", ge=0, le=100_000)] = 0,
    done: str = "",
) -> Response:
    context = {"section": section or None, "start": start, "done": DONE.get(done)}
    return _render_book(visit, viewer, course, context)


@router.get("/grades.csv")
def send_grades(visit: CurrentVisit, viewer: Reader, course: str, problems: bool = False) -> Response:
    """Send all grades, also of each problem. What it shows is recorded."""
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_GRADES)
        columns, records = export_grades(session, seat, by_problem=problems)
    return send_csv(columns, records, f"{course}-grades.csv")


@router.post("/grades/{assignment}/release", dependencies=[OWN_ORIGIN])
def send_release(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, form: Annotated[ReleaseForm, Form()]
) -> Response:
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.GRADE)
            found = get_assignment(session, seat, assignment)
            if form.released:
                release(session, visit.actor, found, read_book(session, seat))
            else:
                withhold(session, visit.actor, found)
    except Conflict as fault:
        return _render_book(visit, viewer, course, {"error": str(fault)}, 409)
    return see_other(f"{HOME}/{course}/grades?done={'released' if form.released else 'hidden'}")


@router.get("/grades/{assignment}/{member_id}")
def show_grade(
    visit: CurrentVisit, viewer: Reader, course: str, assignment: str, member_id: MemberId, done: str = ""
) -> Response:
    return _render(visit, viewer, (course, assignment, member_id), {"done": DONE.get(done)})


@router.post("/grades/{assignment}/{member_id}", dependencies=[OWN_ORIGIN])
def send_adjustment(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    member_id: MemberId,
    form: Annotated[AdjustmentForm, Form()],
) -> Response:
    try:
        with visit.transaction() as session:
            seat = get_seat(session, viewer, course, CourseRight.GRADE)
            found = get_assignment(session, seat, assignment)
            if form.kind == "remove":
                remove_adjustment(session, visit.actor, seat, found, member_id, form.problem or None)
            else:
                adjust(session, visit.actor, seat, found, member_id, form.read())
    except Invalid as fault:
        errors = fault.by_field
        place = (course, assignment, member_id)
        return _render(visit, viewer, place, {"errors": errors, "values": form.model_dump()}, 422)
    return see_other(f"{HOME}/{course}/grades/{assignment}/{member_id}?done=decided")


@router.post("/grades/{assignment}/{member_id}/comments", dependencies=[OWN_ORIGIN])
def send_comment(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    member_id: MemberId,
    form: Annotated[CommentForm, Form()],
) -> Response:
    place = (course, assignment, member_id)
    try:
        with visit.transaction() as session:
            found, user_id = _find_student(session, viewer, place)
            add_comment(session, visit.actor, found, user_id, form.read())
    except Invalid as fault:
        names = {"submission": "comment_on", "text": "comment"}
        errors = {names.get(each.field, each.field): str(each) for each in fault.each}
        values = form.model_dump(by_alias=True)
        return _render(visit, viewer, place, {"errors": errors, "comment_values": values}, 422)
    return see_other(f"{HOME}/{course}/grades/{assignment}/{member_id}?done=commented")


@router.post("/grades/{assignment}/{member_id}/comments/{comment_id}/remove", dependencies=[OWN_ORIGIN])
def send_comment_removal(
    visit: CurrentVisit, viewer: Taker, course: str, assignment: str, member_id: MemberId, comment_id: UUID
) -> Response:
    with visit.transaction() as session:
        found, _ = _find_student(session, viewer, (course, assignment, member_id))
        remove_comment(session, visit.actor, found, comment_id)
    return see_other(f"{HOME}/{course}/grades/{assignment}/{member_id}?done=uncommented")


@router.post("/grades/{assignment}/{member_id}/requests/{request_id}", dependencies=[OWN_ORIGIN])
def send_answer(
    visit: CurrentVisit,
    viewer: Taker,
    course: str,
    assignment: str,
    member_id: MemberId,
    request_id: UUID,
    form: Annotated[AnswerForm, Form()],
) -> Response:
    place = (course, assignment, member_id)
    try:
        with visit.transaction() as session:
            found, _ = _find_student(session, viewer, place)
            answer_regrade(session, visit.actor, found, request_id, read_fields(RegradeText, form.model_dump()))
    except (Conflict, Invalid) as fault:
        return _render(visit, viewer, place, {"errors": {"answer": str(fault)}}, 422)
    return see_other(f"{HOME}/{course}/grades/{assignment}/{member_id}?done=answered")


def _find_student(session: Session, viewer: Viewer, place: tuple[str, str, UUID]) -> tuple[Assignment, UUID]:
    """Return the assignment and the student's account, for those who may comment. Raises MemberNotFound."""
    seat = get_seat(session, viewer, place[0], CourseRight.COMMENT)
    user_id = _read_row(session, seat, place[2]).member.user_id
    assert user_id is not None
    return get_assignment(session, seat, place[1]), user_id


def _render_book(visit: Visit, viewer: Viewer, course: str, context: Mapping[str, Any], status: int = 200) -> Response:
    usual: dict[str, Any] = {"section": None, "start": 0, "done": None, "error": ""}
    shown = usual | dict(context)
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_GRADES)
        book = read_book(session, seat, shown["section"])
        sections = list_sections(session, seat.course.id)
        requests = list_requests(session, seat)
    end = shown["start"] + STUDENTS
    shown |= {
        "book": book,
        "rows": book.rows[shown["start"] : end],
        "next": end if len(book.rows) > end else None,
        "requests": requests,
        "waiting": [(row, each) for row in book.rows for each in row.grades if each.is_provisional][:WAITING],
        "sections": sections,
        "show_points": show_points,
    }
    return visit.render("course/grades.html", course_context(seat) | shown, status)


def _render(
    visit: Visit, viewer: Viewer, place: tuple[str, str, UUID], context: Mapping[str, Any], status: int = 200
) -> Response:
    course, slug, member_id = place
    with visit.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_GRADES)
        assignment = get_assignment(session, seat, slug)
        row = _read_row(session, seat, member_id)
        assert row.member.user_id is not None
        mine = list_hand_ins(session, assignment, row.member.user_id)
        window = find_windows(session, [assignment], row.member.user_id)[assignment.id].of(row.member.user_id)
        decisions = list_adjustments(session, assignment, row.member.user_id)
        slugs = read_slugs(session, [assignment])
        comments = list_comments(session, [each.id for each in mine])
        requests = list_requests_of(session, assignment, row.member.user_id)
    usual: dict[str, Any] = {"errors": {}, "values": AdjustmentForm().model_dump(), "done": None}
    usual |= {"row": row, "mine": mine, "window": window, "decisions": decisions, "slugs": slugs, "kinds": KINDS}
    usual |= {"grade": next(each for each in row.grades if each.assignment.id == assignment.id)}
    usual |= {"show_points": show_points, "comments": comments, "requests": requests, "comment_values": {}}
    return visit.render("course/grade.html", course_context(seat) | usual | dict(context), status)


def _read_row(session: Session, seat: Seat, member_id: UUID) -> BookRow:
    """Raises MemberNotFound."""
    here = (Member.id == member_id, Member.course_id == seat.course.id)
    user_id = session.scalar(select(Member.user_id).where(*here))
    row = read_own_row(session, seat, user_id) if user_id else None
    if row is None:
        raise MemberNotFound(member_id)
    return row
