"""Assignments of a course, their extensions, and handing in."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import BaseModel, Field, StrictBool
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.courses import Course, CourseReader, CourseTaker, RowError
from app.api.dependency import Address, Sender, ShortSliced, Stored, Waits, act_as
from app.api.field import Slug, ruled
from app.api.openapi import locates
from app.api.request_limits import await_hand_in_turn, read_waited
from app.api.submissions import SOURCE_SAYS, SOURCE_SCHEMA, IdempotencyKey, Receipt, read_receipt
from app.courses.assignment import (
    AssignmentFields,
    AssignmentView,
    change_assignment,
    create_assignment,
    delete_assignment,
    get_assignment,
    list_assignments,
    view_assignments,
)
from app.courses.due import list_due
from app.courses.extension import ExtensionView, ExtensionWish, extend, list_extensions, remove_extension
from app.courses.extension_table import apply_extensions, plan_extensions
from app.courses.model import Assignment as AssignmentRow
from app.courses.role import CourseRight, Seat, get_seat
from app.database.cursor import NextCursor, cut_list
from app.limits import MAX_BODY_BYTES
from app.policy import read_policy
from app.submissions.hand_in import find_hand_in
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, check_source, submit
from app.validation import Body

router = APIRouter(tags=["courses"])

Assignment = Annotated[str, Path(description="the assignment's `slug`", examples=["homework-1"])]
MAX_EXTENSIONS = 1000


class AssignmentList(BaseModel):
    items: list[AssignmentView]
    next: NextCursor


class ExtensionList(BaseModel):
    items: list[ExtensionView]
    next: NextCursor


class ExtensionBatch(Body):
    """Extensions to give, all or none. One that a member or section has for this assignment is replaced."""

    extensions: list[ExtensionWish] = Field(min_length=1, max_length=MAX_EXTENSIONS, fail_fast=True)


class ExtensionTable(Body):
    """Extensions as CSV, with commas, semicolons or tabs. Its first line names the columns.

    Columns: `number`, `email` or `username` of a student, or `section`; then `due_at`, `closes_at`, `opens_at`,
    `extra_attempts`, `extra_minutes`, `reason`. Times are in the course's zone. An empty cell changes nothing.
    """

    csv: str = Field(max_length=MAX_BODY_BYTES, examples=["username,due_at,reason\nada,2026-11-12 23:59,ill\n"])
    preview: StrictBool = Field(False, description="true: only say what would change")


class ExtensionLine(BaseModel):
    line: int
    whose: str = Field(description="the student or the section")
    is_new: bool
    fields: dict[str, str] = Field(description="what changes, with the new value as text")


class ExtensionResult(BaseModel):
    """What the table changes, or would change. A table with `errors` can't be applied."""

    changes: list[ExtensionLine]
    unchanged: int
    errors: list[RowError]
    ignored: list[str] = Field(description="columns without a known name")


class DueView(BaseModel):
    course: str
    assignment: str
    title: str
    is_late: bool = Field(description="it was due, and late work is still taken")
    until: datetime = Field(description="when it is due, or closes if it is late")


class DueList(BaseModel):
    items: list[DueView]
    next: NextCursor


class NewHandIn(Body):
    """A solution to hand in."""

    source: Annotated[str, ruled(check_source)] = Field(
        description=SOURCE_SAYS,
        json_schema_extra=SOURCE_SCHEMA,
        examples=["def microbatched_grads(w, x_full, n_microbatches):\n    ...\n"],
    )


@router.get("/me/assignments", operation_id="list_due", summary="What you can hand in now")
def get_due(
    database: Stored,
    viewer: CourseReader,
    wanted: ShortSliced,
    problem: Annotated[str | None, Query(description="only those with this problem", examples=["softmax"])] = None,
) -> DueList:
    """The assignments of all your courses that are open for you, the next due first."""
    with database.transaction() as session:
        due = list_due(session, viewer.id, problem)
    items, following = cut_list(due, lambda each: each.key, wanted)
    views = [
        DueView(
            course=each.course.slug,
            assignment=each.assignment.slug,
            title=each.assignment.title,
            is_late=each.is_late,
            until=each.until,
        )
        for each in items
    ]
    return DueList(items=views, next=following)


@router.get("/courses/{course}/assignments", summary="The assignments of a course")
def get_assignments(database: Stored, viewer: CourseReader, course: Course, wanted: ShortSliced) -> AssignmentList:
    """With the dates that hold for you, in the order of their due dates."""
    with database.transaction() as session:
        seat = get_seat(session, viewer, course)
        views = view_assignments(session, seat, viewer.id, list_assignments(session, seat))
    items, following = cut_list(views, lambda each: each.id, wanted)
    return AssignmentList(items=list(items), next=following)


@router.post(
    "/courses/{course}/assignments",
    status_code=HTTPStatus.CREATED,
    responses={201: locates("the assignment's path")},
    summary="Create an assignment",
)
def post_assignment(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    wanted: AssignmentFields,
    response: Response,
) -> AssignmentView:
    with database.transaction() as session:
        seat = get_seat(session, viewer, course, CourseRight.CHANGE_COURSE)
        assignment = create_assignment(session, act_as(viewer, address), seat, wanted)
        view = view_assignments(session, seat, viewer.id, [assignment])[0]
    response.headers["Location"] = f"/api/v1/courses/{seat.course.slug}/assignments/{view.slug}"
    return view


@router.get("/courses/{course}/assignments/{assignment}", summary="An assignment")
def get_one_assignment(
    database: Stored, viewer: CourseReader, course: Course, assignment: Assignment
) -> AssignmentView:
    with database.transaction() as session:
        seat = get_seat(session, viewer, course)
        return view_assignments(session, seat, viewer.id, [get_assignment(session, seat, assignment)])[0]


@router.put("/courses/{course}/assignments/{assignment}", summary="Change an assignment")
def put_assignment(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    wanted: AssignmentFields,
) -> AssignmentView:
    """Writes all fields, but keeps `password`, `networks`, `seb_keys` and `hands_in_draft` if you leave them out.

    Every grade follows at once: grades are computed, never stored.
    """
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment, CourseRight.CHANGE_COURSE)
        session.refresh(found, with_for_update=True)
        change_assignment(session, act_as(viewer, address), found, wanted)
        return view_assignments(session, seat, viewer.id, [found])[0]


@router.delete(
    "/courses/{course}/assignments/{assignment}", status_code=HTTPStatus.NO_CONTENT, summary="Delete an assignment"
)
def delete_one_assignment(
    database: Stored, viewer: CourseTaker, address: Address, course: Course, assignment: Assignment
) -> None:
    """One that has hand-ins is a 409."""
    with database.transaction() as session:
        _, found = _find(session, viewer, course, assignment, CourseRight.CHANGE_COURSE)
        delete_assignment(session, act_as(viewer, address), found)


@router.get("/courses/{course}/assignments/{assignment}/extensions", summary="The extensions of an assignment")
def get_extensions(
    database: Stored, viewer: CourseReader, course: Course, assignment: Assignment, wanted: ShortSliced
) -> ExtensionList:
    with database.transaction() as session:
        _, found = _find(session, viewer, course, assignment, CourseRight.EXTEND)
        items, following = cut_list(list_extensions(session, found), lambda each: each.id, wanted)
    return ExtensionList(items=list(items), next=following)


@router.put("/courses/{course}/assignments/{assignment}/extensions", summary="Give extensions")
def put_extensions(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    batch: ExtensionBatch,
) -> ExtensionList:
    """They take effect at once, also for what was handed in before. Extensions that you do not name stay."""
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment, CourseRight.EXTEND)
        extend(session, act_as(viewer, address), seat, found, batch.extensions)
        return ExtensionList(items=list_extensions(session, found), next=None)


@router.post("/courses/{course}/assignments/{assignment}/extensions", summary="Preview or give extensions as a table")
def post_extensions(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    wanted: ExtensionTable,
) -> ExtensionResult:
    """Gives all of the table, or nothing."""
    with database.transaction() as session:
        seat, found = _find(session, viewer, course, assignment, CourseRight.EXTEND)
        plan = plan_extensions(session, seat, found, wanted.csv)
        if not wanted.preview:
            apply_extensions(session, act_as(viewer, address), seat, found, plan)
    return ExtensionResult(
        changes=[
            ExtensionLine(line=each.line, whose=each.whose, is_new=each.is_new, fields=dict(each.fields))
            for each in plan.changes
        ],
        unchanged=plan.unchanged,
        errors=[RowError(line=fault.line, message=fault.message) for fault in plan.faults],
        ignored=list(plan.ignored),
    )


@router.delete(
    "/courses/{course}/assignments/{assignment}/extensions/{extension_id}",
    status_code=HTTPStatus.NO_CONTENT,
    summary="Take an extension back",
)
def delete_extension(
    database: Stored,
    viewer: CourseTaker,
    address: Address,
    course: Course,
    assignment: Assignment,
    extension_id: UUID,
) -> None:
    with database.transaction() as session:
        _, found = _find(session, viewer, course, assignment, CourseRight.EXTEND)
        remove_extension(session, act_as(viewer, address), found, extension_id)


@router.post(
    "/courses/{course}/assignments/{assignment}/problems/{slug}/submissions",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the submission's path")},
    operation_id="hand_in",
    dependencies=[Depends(await_hand_in_turn, scope="function")],
    summary="Hand in a solution",
)
def post_hand_in(
    request: Request,
    database: Stored,
    waits: Waits,
    viewer: Sender,
    course: Course,
    assignment: Assignment,
    slug: Slug,
    new: NewHandIn,
    response: Response,
    key: IdempotencyKey = None,
) -> Receipt:
    """A hand-in is stored whatever the load is. Its time is the moment at which all of this request had arrived."""
    with database.transaction() as session:
        hand_in = find_hand_in(session, viewer, course, assignment, slug, read_waited(request))
        wanted = Submit(
            user_id=viewer.id,
            slug=slug,
            source=new.source,
            mode="submit",
            idempotency_key=key,
            hand_in=hand_in,
            revision_id=hand_in.revision_id,
        )
        submission = submit(session, wanted, SubmitLimits.of(read_policy(session), waits))
        receipt = read_receipt(session, submission, viewer)
    response.headers["Location"] = f"/api/v1/submissions/{submission.id}"
    return receipt


def _find(
    session: Session, viewer: Viewer, course: str, assignment: str, right: CourseRight
) -> tuple[Seat, AssignmentRow]:
    seat = get_seat(session, viewer, course, right)
    return seat, get_assignment(session, seat, assignment)
