"""A submission's results as they come in: server-sent events.

One event `case` per case, in the order in which they are judged, whose id is its number in that order, so that a
browser that lost the stream goes on where it was; then `done` with the whole submission, and the stream ends. FastAPI
sends a comment when nothing happens for a while. The rows are the log: nothing is kept per stream, and no database
connection is held while it waits.
"""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from app.accounts.token import find_viewer_by_token
from app.api.dependency import Credentials, Live, Reader, Seats, Stored
from app.api.openapi import problems
from app.api.submissions import read_submission
from app.database import Database
from app.errors import NotFound
from app.submissions.query import get_submission
from app.submissions.view import Log, read_log

router = APIRouter(tags=["submissions"])

LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        description="the id of the last event that arrived; the stream goes on after it. Anything else starts anew",
    ),
]
_STREAM = (
    "Events named `case`, in the order in which the cases are judged, each with a CaseView as JSON in `data` and its "
    "number in that order, from 0, as `id`; then one named `done` with the SubmissionView, and the stream ends. "
    "Comments keep a silent stream open."
)


def hold_readable(
    submission_id: UUID, viewer: Reader, database: Stored, seats: Seats, credentials: Credentials
) -> Iterator[str]:
    """The token. Raises NotFound and LimitReached while there is still a status to answer with."""
    read_submission(database, submission_id, viewer)
    with seats.seat(viewer.id):
        yield credentials.credentials if credentials else ""


@router.get(
    "/submissions/{submission_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"description": _STREAM}, **problems(401, 404, 422)},
    summary="Follow a submission, case by case",
)
async def follow_submission(
    submission_id: UUID,
    token: Annotated[str, Depends(hold_readable)],
    database: Stored,
    progress: Live,
    last_event_id: LastEventId = None,
) -> AsyncIterator[ServerSentEvent]:
    awaited = _sequence_after(last_event_id)
    with progress.watch(submission_id) as watch:
        while True:
            log = await run_in_threadpool(_find_log, database, submission_id, token)
            if log is None:
                return
            # A judging that starts again after a lost worker has fewer cases for a while. It runs them in the same
            # order, so that those are known already.
            for sequence, case in log.entries:
                if sequence >= awaited:
                    yield ServerSentEvent(event="case", id=str(sequence), data=case)
                    awaited = sequence + 1
            if log.view.state == "done":
                yield ServerSentEvent(event="done", data=log.view)
                return
            await watch.changed()


def _find_log(database: Database, submission_id: UUID, token: str) -> Log | None:
    """None once the token was revoked, or its user may see the submission no more."""
    with database.transaction() as session:
        viewer = find_viewer_by_token(session, token)
        try:
            return read_log(session, get_submission(session, submission_id, viewer)) if viewer else None
        except NotFound:
            return None


def _sequence_after(last_event_id: str | None) -> int:
    known = re.fullmatch("[0-9]{1,6}", last_event_id or "")
    return int(known[0]) + 1 if known else 0
