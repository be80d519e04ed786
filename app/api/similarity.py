"""Similar programs: checks of an assignment or of all submissions for a problem, and their reports. For staff."""

from functools import partial
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel

from app.accounts.permission import Viewer
from app.api.archive import send_csv
from app.api.courses import CourseReader, CourseTaker
from app.api.dependency import Address, AllLimits, Live, Sliced, Stored, act_as
from app.api.long_poll import MAX_WAIT_SECONDS, hold_stream, long_poll
from app.api.openapi import locates
from app.database.cursor import NextCursor, cut_list
from app.database.engine import Database
from app.similarity.check import (
    ASSIGNMENT_SAYS,
    CheckView,
    NewCheck,
    begin_check,
    get_check,
    list_checks,
    view_check,
)
from app.similarity.report import Dismissal, PairView, dismiss, list_pairs, reopen, tabulate

router = APIRouter(prefix="/similarity-checks", tags=["courses"])

Number = Annotated[int, Path(ge=1, le=10_000, description="the pair's `number`")]
Wait = Annotated[
    int,
    Query(ge=0, le=MAX_WAIT_SECONDS, description="seconds to wait for the end; the answer comes when it is done"),
]


class CheckList(BaseModel):
    items: list[CheckView]
    next: NextCursor


class PairList(BaseModel):
    items: list[PairView]
    next: NextCursor


@router.post(
    "",
    status_code=HTTPStatus.ACCEPTED,
    operation_id="create_similarity_check",
    responses={202: locates("the check's path")},
    summary="Compare programs",
)
def post_check(new: NewCheck, viewer: CourseTaker, address: Address, database: Stored, response: Response) -> CheckView:
    """For instructors, and without an assignment for admins and the problem's author.

    While the same comparison runs, the answer is that one.
    """
    with database.transaction() as session:
        check = view_check(session, begin_check(session, viewer, act_as(viewer, address), new))
    response.headers["Location"] = f"/api/v1/similarity-checks/{check.id}"
    return check


@router.get("", operation_id="list_similarity_checks", summary="List the comparisons, newest first")
def get_checks(
    viewer: CourseReader,
    database: Stored,
    wanted: Sliced,
    assignment: Annotated[str | None, Query(description=ASSIGNMENT_SAYS, examples=["ml-2026/homework-1"])] = None,
    problem: Annotated[str | None, Query(description="only those of this problem", examples=["softmax"])] = None,
) -> CheckList:
    with database.transaction() as session:
        checks, _, _ = list_checks(session, viewer, assignment, problem)
        views = [view_check(session, each) for each in checks]
    items, following = cut_list(views, lambda each: each.id, wanted)
    return CheckList(items=list(items), next=following)


@router.get("/{check_id}", operation_id="get_similarity_check", summary="A comparison and its progress")
async def get_check_view(
    check_id: UUID, viewer: CourseReader, database: Stored, progress: Live, limits: AllLimits, wait: Wait = 0
) -> CheckView:
    """With `wait`, the answer comes when it is done, or after `wait` seconds."""
    read = partial(_read, database, viewer, check_id)
    with hold_stream(limits, viewer.id, wait), progress.watch(check_id) as watch:
        return await long_poll(read, lambda view: view.finished_at is not None, wait, watch.changed)


@router.get("/{check_id}/pairs", operation_id="list_similar_pairs", summary="List the similar pairs of a comparison")
def get_pairs(check_id: UUID, viewer: CourseReader, database: Stored, wanted: Sliced) -> PairList:
    """The most similar come first. A pair is of two students; nothing of it is shown to them."""
    with database.transaction() as session:
        pairs = list_pairs(session, get_check(session, viewer, check_id)[0])
    items, following = cut_list(pairs, lambda each: each.number, wanted)
    return PairList(items=list(items), next=following)


@router.get(
    "/{check_id}/pairs/export",
    operation_id="export_similar_pairs",
    response_class=Response,
    responses={200: {"description": "A line for each pair", "content": {"text/csv; charset=utf-8": {}}}},
    summary="Export the similar pairs as CSV",
)
def export_pairs(check_id: UUID, viewer: CourseReader, database: Stored) -> Response:
    """An apostrophe precedes a text that a spreadsheet would run."""
    with database.transaction() as session:
        table = tabulate(list_pairs(session, get_check(session, viewer, check_id)[0]))
    return send_csv(*table, "similar-pairs.csv")


@router.put(
    "/{check_id}/pairs/{number}/dismissal",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="dismiss_similar_pair",
    summary="Dismiss a similar pair",
)
def put_dismissal(
    check_id: UUID, number: Number, wanted: Dismissal, viewer: CourseTaker, address: Address, database: Stored
) -> None:
    """Nothing follows from it, and a later comparison of the same two programs says so too."""
    with database.transaction() as session:
        dismiss(session, act_as(viewer, address), get_check(session, viewer, check_id), number, wanted)


@router.delete(
    "/{check_id}/pairs/{number}/dismissal",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="reopen_similar_pair",
    summary="Take the dismissal of a similar pair back",
)
def delete_dismissal(check_id: UUID, number: Number, viewer: CourseTaker, address: Address, database: Stored) -> None:
    with database.transaction() as session:
        reopen(session, act_as(viewer, address), get_check(session, viewer, check_id), number)


def _read(database: Database, viewer: Viewer, check_id: UUID) -> CheckView:
    with database.transaction() as session:
        return view_check(session, get_check(session, viewer, check_id)[0])
