"""Sending a submission, reading its result, with or without waiting, and its source; and the list of submissions."""

from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.api.dependency import Address, AllLimits, Live, Reader, Sender, SliceQuery, Stored, Waits, act_as
from app.api.field import Slug, ruled
from app.api.long_poll import MAX_WAIT_SECONDS, hold_stream, long_poll
from app.api.openapi import locates
from app.api.request_limits import await_call_turn, is_admitted, read_waited
from app.api.request_state import in_loop
from app.catalog.custom_inputs import MAX_BYTES
from app.courses.assignment import find_key
from app.errors import Invalid
from app.limits import SOURCE_BYTES
from app.policy import read_policy
from app.submissions.cancel import cancel_as
from app.submissions.hand_in import choose_hand_in
from app.submissions.model import Judging, Submission
from app.submissions.query import HistoryFilters, SubmissionPage, get_submission, list_submissions
from app.submissions.queue_wait import forecast
from app.submissions.quota import SubmitLimits
from app.submissions.submit import KEY_CHARACTERS, Submit, check_source, submit
from app.submissions.view import Mode, SubmissionView
from app.submissions.view_query import ViewReader, get_readable
from app.validation import Body

router = APIRouter(tags=["submissions"])

SOURCE_SAYS = f"Python code: at most {SOURCE_BYTES} bytes in UTF-8, not blank, without NUL"
SOURCE_SCHEMA: dict[str, Any] = {
    "minLength": 1,
    "maxLength": SOURCE_BYTES,
    "pattern": r"^[^\u0000]*[!-~][^\u0000]*$",
}


class NewSubmission(Body):
    """A solution, and the cases to run it on."""

    source: Annotated[str, ruled(check_source)] = Field(
        description=SOURCE_SAYS,
        json_schema_extra=SOURCE_SCHEMA,
        examples=["def microbatched_grads(w, x_full, n_microbatches):\n    ...\n"],
    )
    mode: Mode = Field("submit", description="`submit` runs every case, `sample` only the sample cases")
    inputs: str | None = Field(
        None,
        description="with mode `sample`: your custom input as YAML, a key for each parameter, instead of the sample "
        "cases. The reference's answer is expected. Start from the problem's `example_inputs`",
        json_schema_extra={"maxLength": MAX_BYTES},
        examples=[None],
    )
    assignment: str | None = Field(
        None,
        max_length=120,
        pattern="^(none|[^/]+/[^/]+)$",
        description="with mode `submit`: what to hand in for, as `COURSE/ASSIGNMENT`; `none`: practice; null: the open "
        "homework with this problem, if there is one. A hand-in is stored whatever the load is",
        examples=[None],
    )


class Receipt(BaseModel):
    """The submission is stored and will be judged. `Location` is its path."""

    id: UUID
    notice: str | None = Field(description="a sentence about why no worker judges it now; null otherwise")
    assignment: str | None = Field(description="what it is handed in for, as `COURSE/ASSIGNMENT`; null: for nothing")


IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        json_schema_extra={"pattern": "^[!-~]+$", "maxLength": KEY_CHARACTERS},
        description="A text of your choice, such as a UUID. The same key with the same request gives the same "
        "submission, so you can send a request again when its answer was lost.",
    ),
]
Wait = Annotated[
    int,
    Query(
        ge=0,
        le=MAX_WAIT_SECONDS,
        description="seconds to wait for the verdict; the answer comes as soon as it is there",
    ),
]


def read_request(
    slug: Slug, new: NewSubmission, viewer: Sender, request: Request, key: IdempotencyKey = None
) -> tuple[Submit, str | None]:
    """Return the submission, and what the student wants to hand it in for."""
    wanted = Submit(
        user_id=viewer.id,
        slug=slug,
        source=new.source,
        mode=new.mode,
        inputs=new.inputs,
        idempotency_key=key,
        is_admitted=is_admitted(request),
    )
    return wanted, new.assignment


@router.post(
    "/problems/{slug}/submissions",
    status_code=HTTPStatus.ACCEPTED,
    responses={202: locates("the submission's path")},
    operation_id="submit",
    dependencies=[Depends(await_call_turn, scope="function")],
    summary="Submit a solution",
)
def post_submission(
    request: Request,
    asked: Annotated[tuple[Submit, str | None], Depends(in_loop(read_request))],
    viewer: Sender,
    database: Stored,
    waits: Waits,
    response: Response,
) -> Receipt:
    waits.read()
    wanted, assignment = asked
    with database.transaction() as session:
        if wanted.mode == "submit":
            hand_in = choose_hand_in(session, viewer, assignment, wanted.slug, read_waited(request))
            revision_id = hand_in.revision_id if hand_in else None
            wanted = replace(wanted, hand_in=hand_in, revision_id=revision_id)
        submission = submit(session, wanted, SubmitLimits.of(read_policy(session), waits))
        receipt = read_receipt(session, submission, viewer)
    response.headers["Location"] = f"/api/v1/submissions/{submission.id}"
    return receipt


def read_receipt(session: Session, submission: Submission, viewer: Viewer) -> Receipt:
    judging: Judging = get_readable(session, submission.id, viewer).Judging
    return Receipt(
        id=submission.id,
        notice=forecast(session, submission, judging).notice,
        assignment=find_key(session, submission.assignment_id),
    )


class SubmissionQuery(HistoryFilters, SliceQuery):
    everyone: bool = Field(False, description="submissions of all users; needs the permission submissions:inspect")


@router.get(
    "/submissions",
    operation_id="list_submissions",
    summary="List your submissions, or all users', newest first",
)
def get_submissions(database: Stored, viewer: Reader, query: Annotated[SubmissionQuery, Query()]) -> SubmissionPage:
    if query.everyone:
        viewer.require(Permission.INSPECT_SUBMISSIONS)
    elif query.user is not None:
        raise Invalid("user", "The filter user works with everyone=true only. Add it, or leave user out.")
    with database.transaction() as session:
        user_id = None if query.everyone else viewer.id
        return list_submissions(session, user_id, query, query.cursor, query.limit)


class SourceView(BaseModel):
    source: str


@router.get(
    "/submissions/{submission_id}/source",
    operation_id="get_submission_source",
    summary="The code of a submission",
)
def get_source(submission_id: UUID, viewer: Reader, database: Stored) -> SourceView:
    with database.transaction() as session:
        return SourceView(source=get_submission(session, submission_id, viewer).source)


@router.get(
    "/submissions/{submission_id}",
    operation_id="get_submission",
    summary="A submission and its result",
)
async def get_submission_view(
    submission_id: UUID, viewer: Reader, database: Stored, progress: Live, limits: AllLimits, wait: Wait = 0
) -> SubmissionView:
    """With `wait`, the answer comes with the verdict, or after `wait` seconds."""
    reader = ViewReader(submission_id)

    def read() -> SubmissionView:
        with database.transaction() as session:
            return reader.read(session, viewer)[1]

    with hold_stream(limits, viewer.id, wait), progress.watch(submission_id) as watch:
        return await long_poll(read, lambda view: view.state == "done", wait, watch.changed)


@router.post("/submissions/{submission_id}/cancel", summary="Cancel a submission")
def cancel_submission(submission_id: UUID, viewer: Sender, address: Address, database: Stored) -> SubmissionView:
    """Ends a waiting or running judging at once with the verdict `cancelled`. A finished submission does not change."""
    with database.transaction() as session:
        submission = get_submission(session, submission_id, viewer)
        cancel_as(session, act_as(viewer, address), submission)
        return ViewReader(submission_id).read(session, viewer)[1]
