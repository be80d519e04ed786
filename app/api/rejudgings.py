"""Judging submissions again: a set of them at once, which is looked at before any of it counts."""

import time
from functools import partial
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from app.api.dependency import Address, Cursor, Live, Reader, Rejudger, Stored, act_as
from app.api.openapi import problems
from app.api.submissions import MAX_WAIT_SECONDS
from app.body import Body
from app.database.engine import Database
from app.rejudging.change import ChangePage, JudgingList, list_changes, list_judgings
from app.rejudging.choice import Choice, Preview, preview
from app.rejudging.create import MAX_NOTE, Rejudge, get_rejudging, rejudge
from app.rejudging.decision import apply, cancel
from app.rejudging.model import Onto
from app.rejudging.view import RejudgingPage, RejudgingView, list_rejudgings, view_rejudging
from app.submissions.idempotency import KEY_CHARACTERS
from app.submissions.query import get_submission

router = APIRouter(tags=["rejudging"])

EXAMPLE = {"problem": "microbatched_grads", "outdated": True}


class NewRejudging(Body):
    """All criteria that are given must hold for a submission, and one must be given."""

    chosen: Choice = Field(description="which submissions", examples=[EXAMPLE])
    onto: Onto = Field(
        "own",
        description="judge each on its `own` revision, which is the one that the verdict which counts now is of, or on "
        "its problem's `current` one",
    )
    note: str = Field(
        "", max_length=MAX_NOTE, description="why, for other admins", examples=["case random_3 was wrong"]
    )


class NewPreview(Body):
    """What a rejudging would be of."""

    chosen: Choice = Field(description="which submissions", examples=[EXAMPLE])
    onto: Onto = Field("own", description="as for a rejudging")


RejudgingKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        json_schema_extra={"pattern": "^[!-~]+$", "maxLength": KEY_CHARACTERS},
        description="A text of your choice, such as a UUID. The same key with the same request gives the same "
        "rejudging, so a request whose answer was lost can be sent again.",
    ),
]
Wait = Annotated[
    int,
    Query(
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="seconds to wait until all is judged; the answer comes soon after it is",
    ),
]
_LOCATION = {"Location": {"description": "the rejudging's path", "schema": {"type": "string"}, "required": True}}


@router.post("/rejudging-previews", responses=problems(401, 403, 404, 422), summary="Which would be judged again")
def preview_rejudging(new: NewPreview, viewer: Rejudger, database: Stored) -> Preview:  # noqa: ARG001
    """Changes nothing."""
    with database.transaction() as session:
        return preview(session, new.chosen, new.onto)


@router.post(
    "/rejudgings",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: {"headers": _LOCATION}, **problems(401, 403, 404, 409, 422)},
    summary="Judge submissions again",
)
def create_rejudging(
    new: NewRejudging,
    viewer: Rejudger,
    address: Address,
    database: Stored,
    response: Response,
    key: RejudgingKey = None,
) -> RejudgingView:
    """In the background: what students send comes first. Nothing counts until it is applied."""
    wanted = Rejudge(choice=new.chosen, onto=new.onto, note=new.note, idempotency_key=key)
    with database.transaction() as session:
        view = view_rejudging(session, rejudge(session, act_as(viewer, address), wanted))
    response.headers["Location"] = f"/api/v1/rejudgings/{view.id}"
    return view


@router.get(
    "/rejudgings",
    responses=problems(401, 403, 422),
    operation_id="list_rejudgings",
    summary="List rejudgings, newest first",
)
def get_rejudgings(viewer: Rejudger, database: Stored, cursor: Cursor = None) -> RejudgingPage:  # noqa: ARG001
    with database.transaction() as session:
        return list_rejudgings(session, cursor)


@router.get(
    "/rejudgings/{rejudging_id}",
    responses=problems(401, 403, 404, 422),
    operation_id="get_rejudging",
    summary="How far a rejudging is",
)
async def get_rejudging_view(
    rejudging_id: UUID,
    viewer: Rejudger,  # noqa: ARG001
    database: Stored,
    progress: Live,
    wait: Wait = 0,
) -> RejudgingView:
    """Holds no database connection while it waits."""
    read = partial(_read, database, rejudging_id)
    deadline = time.monotonic() + wait
    with progress.watch(rejudging_id) as watch:
        view = await run_in_threadpool(read)
        while view.state == "judging" and (left := deadline - time.monotonic()) > 0:
            await watch.changed(left)
            view = await run_in_threadpool(read)
    return view


@router.get(
    "/rejudgings/{rejudging_id}/changes",
    responses=problems(401, 403, 404, 422),
    operation_id="list_rejudging_changes",
    summary="What a rejudging changes",
)
def get_rejudging_changes(
    rejudging_id: UUID,
    viewer: Rejudger,  # noqa: ARG001
    database: Stored,
    only_changed: Annotated[bool, Query(description="leave out those whose verdict and score are the same")] = False,
    cursor: Cursor = None,
) -> ChangePage:
    """Submission by submission, each with the cases that came out differently. Before it is applied, too."""
    with database.transaction() as session:
        return list_changes(session, get_rejudging(session, rejudging_id), only_changed=only_changed, cursor=cursor)


@router.post(
    "/rejudgings/{rejudging_id}/apply", responses=problems(401, 403, 404, 409, 422), summary="Let a rejudging count"
)
def apply_rejudging(rejudging_id: UUID, viewer: Rejudger, address: Address, database: Stored) -> RejudgingView:
    """All of it at once, when all is judged; verdicts, scores, leaderboards and solved problems follow. Those that came
    out as a judge error keep their old verdicts. The old judgings are kept.
    """
    with database.transaction() as session:
        return view_rejudging(session, apply(session, rejudging_id, act_as(viewer, address)))


@router.post(
    "/rejudgings/{rejudging_id}/cancel", responses=problems(401, 403, 404, 409, 422), summary="Cancel a rejudging"
)
def cancel_rejudging(rejudging_id: UUID, viewer: Rejudger, address: Address, database: Stored) -> RejudgingView:
    """What waits or runs ends at once; what is judged can still be looked at, and never counts."""
    with database.transaction() as session:
        return view_rejudging(session, cancel(session, rejudging_id, act_as(viewer, address)))


@router.get(
    "/submissions/{submission_id}/judgings",
    responses=problems(401, 404, 422),
    tags=["submissions"],
    operation_id="list_judgings",
    summary="All judgings of a submission that counted",
)
def get_judgings(submission_id: UUID, viewer: Reader, database: Stored) -> JudgingList:
    """Those that a rejudging has replaced, and the one that counts."""
    with database.transaction() as session:
        return list_judgings(session, get_submission(session, submission_id, viewer))


def _read(database: Database, rejudging_id: UUID) -> RejudgingView:
    with database.transaction() as session:
        return view_rejudging(session, get_rejudging(session, rejudging_id))
