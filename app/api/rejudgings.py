"""Rejudging a set of submissions. An admin looks at the changes before any of them count."""

from functools import partial
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from app.api.dependency import Address, Live, Rejudger, ShortSliced, Sliced, Stored, act_as
from app.api.long_poll import MAX_WAIT_SECONDS, long_poll
from app.api.openapi import locates
from app.database.cursor import NextCursor, cut_list
from app.database.engine import Database
from app.grading.grade_change import AssignmentChanges, list_grade_changes
from app.rejudging.change import ChangePage, list_changes
from app.rejudging.choice import Choice, Preview, preview
from app.rejudging.create import MAX_NOTE, Rejudge, get_rejudging, rejudge
from app.rejudging.decision import apply, cancel
from app.rejudging.model import Onto
from app.rejudging.view import Decided, RejudgingPage, RejudgingView, list_rejudgings, view_rejudging
from app.validation import Body

router = APIRouter(tags=["rejudging"])

EXAMPLE = {"problem": "microbatched_grads", "outdated": True}


class NewRejudging(Body):
    """A submission must match all criteria that you give. Give at least one."""

    chosen: Choice = Field(description="the submissions to judge again", examples=[EXAMPLE])
    onto: Onto = Field(
        "own",
        description="the revision to judge on: `own`, the one of the submission's current verdict, or `current`, the "
        "problem's current one",
    )
    note: str = Field(
        "", max_length=MAX_NOTE, description="why, for other admins", examples=["case random_3 was wrong"]
    )


class NewPreview(Body):
    """The rejudging to preview."""

    chosen: Choice = Field(description="the submissions to judge again", examples=[EXAMPLE])
    onto: Onto = Field("own", description="the revision to judge on, as for a rejudging")


class GradeChangeList(BaseModel):
    items: list[AssignmentChanges]
    next: NextCursor


Wait = Annotated[
    int,
    Query(
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="seconds to wait until all submissions are judged; the answer comes soon after",
    ),
]


@router.post("/rejudging-previews", summary="Preview a rejudging")
def preview_rejudging(new: NewPreview, viewer: Rejudger, database: Stored) -> Preview:  # noqa: ARG001
    """Changes nothing."""
    with database.transaction() as session:
        return preview(session, new.chosen, new.onto)


@router.post(
    "/rejudgings",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the rejudging's path")},
    summary="Begin a rejudging",
)
def create_rejudging(
    new: NewRejudging, viewer: Rejudger, address: Address, database: Stored, response: Response
) -> RejudgingView:
    """Judges in the background: students' submissions come first. Nothing counts until you apply the rejudging."""
    wanted = Rejudge(choice=new.chosen, onto=new.onto, note=new.note)
    with database.transaction() as session:
        view = view_rejudging(session, rejudge(session, act_as(viewer, address), wanted))
    response.headers["Location"] = f"/api/v1/rejudgings/{view.id}"
    return view


@router.get(
    "/rejudgings",
    operation_id="list_rejudgings",
    summary="List rejudgings, newest first",
)
def get_rejudgings(
    viewer: Rejudger,  # noqa: ARG001
    database: Stored,
    wanted: Sliced,
    decision: Annotated[
        Decided | None, Query(description="only those with this decision; `open`: those that wait for one")
    ] = None,
) -> RejudgingPage:
    with database.transaction() as session:
        return list_rejudgings(session, wanted.cursor, wanted.limit, decision)


@router.get(
    "/rejudgings/{rejudging_id}",
    operation_id="get_rejudging",
    summary="A rejudging and its progress",
)
async def get_rejudging_view(
    rejudging_id: UUID,
    viewer: Rejudger,  # noqa: ARG001
    database: Stored,
    progress: Live,
    wait: Wait = 0,
) -> RejudgingView:
    """With `wait`, the answer comes when all is judged, or after `wait` seconds."""
    read = partial(_read, database, rejudging_id)
    with progress.watch(rejudging_id) as watch:
        return await long_poll(read, lambda view: view.state != "judging", wait, watch.changed)


@router.get(
    "/rejudgings/{rejudging_id}/changes",
    operation_id="list_rejudging_changes",
    summary="List a rejudging's changes",
)
def get_rejudging_changes(
    rejudging_id: UUID,
    viewer: Rejudger,  # noqa: ARG001
    database: Stored,
    wanted: Sliced,
    only_changed: Annotated[bool, Query(description="leave out submissions with the same verdict and score")] = False,
) -> ChangePage:
    """Lists each submission with the cases whose verdict differs, also before the rejudging is applied."""
    with database.transaction() as session:
        rejudging = get_rejudging(session, rejudging_id)
        return list_changes(session, rejudging, only_changed=only_changed, cursor=wanted.cursor, limit=wanted.limit)


@router.get("/rejudgings/{rejudging_id}/grade-changes", summary="Whose grades a rejudging changes")
def get_grade_changes(rejudging_id: UUID, viewer: Rejudger, database: Stored, wanted: ShortSliced) -> GradeChangeList:  # noqa: ARG001
    """For each assignment with hand-ins among the submissions, also after it is applied; a 409 if it is cancelled."""
    with database.transaction() as session:
        changes = list_grade_changes(session, get_rejudging(session, rejudging_id))
    items, following = cut_list(changes, lambda each: (each.course, each.assignment), wanted)
    return GradeChangeList(items=list(items), next=following)


@router.post("/rejudgings/{rejudging_id}/apply", summary="Apply a rejudging")
def apply_rejudging(rejudging_id: UUID, viewer: Rejudger, address: Address, database: Stored) -> RejudgingView:
    """Applies all new verdicts at once, when every submission is judged. Scores, leaderboards and solved problems
    follow. A submission whose new verdict is a judge error keeps its old verdict. Old judgings are kept.
    """
    with database.transaction() as session:
        return view_rejudging(session, apply(session, rejudging_id, act_as(viewer, address)))


@router.post("/rejudgings/{rejudging_id}/cancel", summary="Cancel a rejudging")
def cancel_rejudging(rejudging_id: UUID, viewer: Rejudger, address: Address, database: Stored) -> RejudgingView:
    """Ends waiting and running judgings at once. You can still read the finished ones, but they never count."""
    with database.transaction() as session:
        return view_rejudging(session, cancel(session, rejudging_id, act_as(viewer, address)))


def _read(database: Database, rejudging_id: UUID) -> RejudgingView:
    with database.transaction() as session:
        return view_rejudging(session, get_rejudging(session, rejudging_id))
