"""Sending up to 50 submissions in one request, and waiting for all of them in one."""

from functools import partial
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, Field
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.dependency import Live, Reader, Seats, Sender, Stored, Waits
from app.api.error_code import Code, FieldFault
from app.api.long_poll import long_poll
from app.api.openapi import locates, problems
from app.api.problem_details import describe
from app.api.request_turn import await_submit_turn
from app.api.submissions import SOURCE_SAYS, SOURCE_SCHEMA, IdempotencyKey, Receipt, Wait
from app.body import Body
from app.catalog.custom_inputs import MAX_BYTES
from app.database.engine import Database
from app.errors import AllcloseError, LimitReached
from app.policy import read_policy
from app.submissions.batch import MAX_BATCH, Batch, list_chosen, submit_batch
from app.submissions.model import Submission
from app.submissions.query import SubmissionSummary
from app.submissions.queue_status import explain_wait
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit
from app.submissions.view import Mode
from app.submissions.view_query import get_current_judging

router = APIRouter(prefix="/submissions/batch", tags=["submissions"])


class BatchedSubmission(Body):
    """One submission of a batch. A wrong value here refuses this submission only."""

    problem: str = Field(description="the slug", examples=["microbatched_grads"])
    source: str = Field(description=SOURCE_SAYS, json_schema_extra=SOURCE_SCHEMA, examples=["x = 1\n"])
    mode: Mode = Field("submit", description="as in a single submission")
    inputs: str | None = Field(
        None,
        description="your custom input, as in a single submission",
        json_schema_extra={"maxLength": MAX_BYTES},
        examples=[None],
    )


class NewBatch(Body):
    submissions: list[BatchedSubmission] = Field(min_length=1, max_length=MAX_BATCH, fail_fast=True)


class Refusal(BaseModel):
    """The error of one submission, as the answer to a single one would have it."""

    status: int = Field(ge=400, le=599)
    code: Code
    detail: str = Field(description="what is wrong and what to do, for people")
    errors: list[FieldFault] | None = Field(None, description="for status 422: the wrong fields")
    retry_after: int | None = Field(None, description="for status 429: the seconds until the quota may be free")


class BatchEntry(BaseModel):
    """Exactly one of the two is not null."""

    submission: Receipt | None
    error: Refusal | None


class BatchReceipt(BaseModel):
    """An entry for each submission, in the order of the request."""

    items: list[BatchEntry]


class SubmissionBatch(BaseModel):
    """The submissions in the order of `ids`, as in the list of submissions."""

    items: list[SubmissionSummary]


Ids = Annotated[list[UUID], Query(min_length=1, max_length=MAX_BATCH, description="the IDs: `ids=…&ids=…`")]


@router.post(
    "",
    status_code=HTTPStatus.CREATED,
    responses={
        201: locates("`GET /submissions/batch` with the IDs of the submissions"),
        **problems(401, 404, 409, 422),
    },
    operation_id="submit_batch",
    dependencies=[Depends(await_submit_turn, scope="function")],
    summary="Submit up to 50 solutions",
)
def post_batch(
    new: NewBatch, viewer: Sender, database: Stored, waits: Waits, response: Response, key: IdempotencyKey = None
) -> BatchReceipt:
    """Each submission is made or refused by itself, and counts towards your quotas as a single one does.

    If all are refused, the answer is the error of the first. A wrong field or type refuses the whole request.
    """
    wanted = [
        Submit(user_id=viewer.id, slug=each.problem, source=each.source, mode=each.mode, inputs=each.inputs)
        for each in new.submissions
    ]
    batch = Batch(user_id=viewer.id, submissions=wanted, idempotency_key=key)
    known = waits.read()
    with database.transaction() as session:
        outcomes = submit_batch(session, batch, SubmitLimits.of(read_policy(session), known))
        entries = [_enter(session, outcome) for outcome in outcomes]
    made = urlencode([("ids", entry.submission.id) for entry in entries if entry.submission])
    response.headers["Location"] = f"/api/v1/submissions/batch?{made}"
    return BatchReceipt(items=entries)


@router.get(
    "", responses=problems(401, 404, 422), operation_id="get_batch", summary="Up to 50 submissions and their verdicts"
)
async def get_batch(
    ids: Ids, viewer: Reader, database: Stored, progress: Live, seats: Seats, wait: Wait = 0
) -> SubmissionBatch:
    """With `wait`, the answer comes when all are done, or after `wait` seconds. One unknown ID is a 404.

    `GET /submissions/{submission_id}` has the results of the cases.
    """
    read = partial(_read, database, ids, viewer)
    with seats.seat(viewer.id, wait), progress.watch(*ids) as watch:
        found = await long_poll(read, lambda batch: all(each.state == "done" for each in batch), wait, watch.changed)
    return SubmissionBatch(items=found)


def _read(database: Database, ids: list[UUID], viewer: Viewer) -> list[SubmissionSummary]:
    with database.transaction() as session:
        return list_chosen(session, viewer, ids)


def _enter(session: Session, outcome: Submission | AllcloseError) -> BatchEntry:
    if isinstance(outcome, AllcloseError):
        fault = describe(outcome)
        seconds = outcome.retry_seconds if isinstance(outcome, LimitReached) else None
        refusal = Refusal(
            status=fault.status,
            code=fault.code,
            detail=fault.detail,
            errors=list(fault.fields) or None,
            retry_after=seconds,
        )
        return BatchEntry(submission=None, error=refusal)
    judging = get_current_judging(session, outcome)
    notice = explain_wait(session, judging)
    return BatchEntry(submission=Receipt(id=outcome.id, state=judging.state, notice=notice), error=None)
