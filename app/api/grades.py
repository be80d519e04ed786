"""Grades of a course: all of them for staff, one's own for students, adjustments and release."""

from decimal import Decimal
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, StrictBool
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.archive import send_csv
from app.api.assignments import Assignment
from app.api.courses import Course, CourseReader, CourseTaker
from app.api.dependency import Address, ShortSliced, Stored, act_as
from app.courses.assignment import get_assignment
from app.courses.model import Assignment as AssignmentRow
from app.courses.role import CourseRight, Seat, get_seat
from app.database.cursor import NextCursor, cut_list
from app.grading.adjustment import NewAdjustment, Reason, adjust, release, remove_adjustment, withhold
from app.grading.book import BookRow, read_book, read_own_row
from app.grading.export import export_grades
from app.grading.grade_change import keep_points
from app.rejudging.create import get_rejudging
from app.validation import Body, FrozenModel

router = APIRouter(prefix="/courses/{course}", tags=["courses"])


class GradeView(FrozenModel):
    """The points of an assignment. Of your own, `points` and `most` are null until they are released."""

    assignment: str = Field(description="its `slug`")
    points: Decimal | None = Field(description="exact; null while nothing counts")
    most: Decimal | None = Field(description="the points of all its problems that are not excused")
    is_provisional: bool = Field(description="a hand-in is not judged yet, or the judge failed on it")
    is_excused: bool
    is_released: bool


class StudentGrades(FrozenModel):
    member: UUID
    username: str
    name: str
    number: str
    section: str
    grades: tuple[GradeView, ...]
    total: Decimal | None = Field(description="percent of the course so far; for students null until all is released")


class GradeList(BaseModel):
    items: list[StudentGrades]
    next: NextCursor


class Keeping(Body):
    """The rejudging, and why its falls do not count."""

    rejudging: UUID
    reason: Reason = Field(description="the students see it with the points")


class Kept(BaseModel):
    students: int = Field(description="how many grades would fall, and do not")


class Release(Body):
    released: StrictBool = Field(description="whether students see their points")


@router.get("/grades", summary="The grades of a course")
def get_grades(
    database: Stored,
    viewer: CourseReader,
    course: Course,
    wanted: ShortSliced,
    section: Annotated[str | None, Query(description="only students of this section")] = None,
) -> GradeList:
    """Staff get all students with an account. A student gets one item: the own grades, as far as they are released."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course)
        if seat.may(CourseRight.SEE_GRADES):
            rows = [_view(row) for row in read_book(session, seat, section).rows]
        else:
            own = read_own_row(session, seat, viewer.id)
            rows = [_hide(_view(own))] if own else []
    items, following = cut_list(rows, lambda row: row.member, wanted)
    return GradeList(items=list(items), next=following)


@router.get(
    "/grades/export",
    operation_id="export_grades",
    response_class=Response,
    responses={200: {"description": "A line for each student", "content": {"text/csv; charset=utf-8": {}}}},
    summary="Export the grades of a course as CSV",
)
def export(
    database: Stored,
    viewer: CourseReader,
    course: Course,
    problems: Annotated[bool, Query(description="also the points of each problem")] = False,
) -> Response:
    """For staff. What it shows is recorded. An apostrophe precedes a text that a spreadsheet would run."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.SEE_GRADES)
        table = export_grades(session, seat, by_problem=problems)
    return send_csv(*table, f"{course}-grades.csv")


@router.put("/assignments/{assignment}/release", status_code=HTTPStatus.NO_CONTENT, summary="Release or hide points")
def put_release(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, assignment: Assignment, wanted: Release
) -> None:
    """What students see at the release is recorded."""
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment)
        if wanted.released:
            release(session, act_as(viewer, address), found, read_book(session, seat))
        else:
            withhold(session, act_as(viewer, address), found)


@router.post("/assignments/{assignment}/kept-points", summary="Keep the points of those whose grade a rejudging lowers")
def post_kept_points(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, assignment: Assignment, wanted: Keeping
) -> Kept:
    """Before or after it is applied. Each problem whose points fall is adjusted to those that it had."""
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment)
        rejudging = get_rejudging(session, wanted.rejudging)
        return Kept(students=keep_points(session, act_as(viewer, address), seat, found, rejudging, wanted.reason))


@router.put(
    "/assignments/{assignment}/adjustments/{member_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Adjust a student's points",
)
def put_adjustment(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    member_id: UUID,
    new: NewAdjustment,
) -> None:
    """Adds a decision and keeps earlier ones. An instructor can't adjust their own points."""
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment)
        adjust(session, act_as(viewer, address), seat, found, member_id, new)


@router.delete(
    "/assignments/{assignment}/adjustments/{member_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Take an adjustment back",
)
def delete_adjustment(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    member_id: UUID,
    problem: Annotated[str | None, Query(description="its slug; without it: of the whole assignment")] = None,
) -> None:
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment)
        remove_adjustment(session, act_as(viewer, address), seat, found, member_id, problem)


def _find(session: Session, viewer: Viewer, course: str, assignment: str) -> tuple[Seat, AssignmentRow]:
    seat = get_seat(session, viewer, course, CourseRight.GRADE)
    return seat, get_assignment(session, seat, assignment)


def _view(row: BookRow) -> StudentGrades:
    grades = tuple(
        GradeView(
            assignment=each.assignment.slug,
            points=each.points,
            most=each.most,
            is_provisional=each.is_provisional,
            is_excused=each.is_excused,
            is_released=each.assignment.released_at is not None,
        )
        for each in row.grades
    )
    told = {name: getattr(row.member, name) for name in ("name", "number", "section")}
    return StudentGrades(member=row.member.id, username=row.username, **told, grades=grades, total=row.total)


def _hide(view: StudentGrades) -> StudentGrades:
    """Return what the student sees: no points that are not released, and a total only if all are."""
    hidden = {"points": None, "most": None, "is_provisional": False, "is_excused": False}
    grades = tuple(each if each.is_released else each.model_copy(update=hidden) for each in view.grades)
    is_whole = all(each.is_released for each in grades)
    return view.model_copy(update={"grades": grades, "total": view.total if is_whole else None})
