"""A submission's results as server-sent events.

One event `case` per case, in the order of judging. Its `id` names the attempt and the result's number in it: a browser
that lost the stream continues where it was, or at the first result of a later attempt. Then comes `done` with the whole
submission, and the stream ends. With `progress`, other events tell what happens meanwhile. FastAPI sends a comment when
nothing happens for a while. The rows are the log: a stream keeps nothing but what it has sent, and holds no database
connection while it waits.
"""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.accounts.token import find_viewer_by_token
from app.api.dependency import AllLimits, Credentials, Live, Reader
from app.submissions.progress import ChangeStream
from app.submissions.query import require_readable
from app.submissions.view import SubmissionView
from app.submissions.view_query import Log, ViewReader, read_log

router = APIRouter(tags=["submissions"])

LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        description="the id of the last event that arrived; the stream continues after it. Other texts are ignored",
    ),
]
WithProgress = Annotated[
    bool,
    Query(description="also send events named `progress`: the SubmissionView without cases, whenever it has changed"),
]
# The `id` of an event is `attempt - 1` times this number, plus the number of the result. A problem has fewer cases.
RESULTS = 10_000
_STREAM = (
    "Events named `case` in the order of judging, each with a CaseView as JSON in `data` and a growing number as `id`, "
    "from 0. After a lost worker, a stream that is opened again may repeat a case, under a new `id`. Then one event "
    "named `done` with the SubmissionView, and the stream ends. Comments keep a silent stream open."
)


async def check_readable(submission_id: UUID, viewer: Reader, progress: Live) -> UUID:
    """Raises NotFound before the answer starts, while it can still have a status."""
    await progress.reads.read(lambda session: require_readable(session, submission_id, viewer))
    return submission_id


async def hold_stream(
    viewer: Reader, progress: Live, limits: AllLimits, given: Credentials
) -> AsyncIterator[ChangeStream]:
    """Yield a stream that takes one of its user's seats. It ends when the token is no longer valid.

    Raises LimitReached before the answer starts, while it can still have a status.
    """
    find_viewer = partial(find_viewer_by_token, secret=given.credentials if given else "")
    with limits.streams.place(viewer.id):
        yield ChangeStream(progress=progress, find_viewer=find_viewer, right=Permission.READ_SUBMISSIONS)


@router.get(
    "/submissions/{submission_id}/events",
    response_class=EventSourceResponse,
    responses={200: {"description": _STREAM}},
    summary="Follow a submission, case by case",
)
async def follow_submission(
    known: Annotated[UUID, Depends(check_readable)],
    changes: Annotated[ChangeStream, Depends(hold_stream)],
    last_event_id: LastEventId = None,
    progress: WithProgress = False,
) -> AsyncIterator[ServerSentEvent]:
    attempt, awaited = _position_after(last_event_id)
    sent, views = set[str](), ViewReader(known)

    def read(session: Session, viewer: Viewer) -> tuple[Log, SubmissionView | None]:
        log = read_log(session, known, viewer, attempt, awaited)
        return log, views.read(session, viewer)[1] if progress and log.view is None else None

    async with aclosing(changes.stream(known, read)) as changed:
        async for log, view in changed:
            # The attempt after a lost worker may have its results in another order.
            if log.attempt != attempt:
                attempt, awaited = log.attempt, 0
            for sequence, case in log.entries:
                awaited = sequence + 1
                if case.name not in sent:
                    number = (attempt - 1) * RESULTS + sequence
                    yield ServerSentEvent(event="case", id=str(number), data=case)
                    sent.add(case.name)
            if view is not None:
                yield ServerSentEvent(event="progress", data=view.model_copy(update={"cases": ()}))
            if log.view is not None:
                yield ServerSentEvent(event="done", data=log.view)
                return


def _position_after(last_event_id: str | None) -> tuple[int, int]:
    """Return the attempt, and the number of its first result that did not arrive."""
    known = re.fullmatch("[0-9]{1,9}", last_event_id or "")
    if known is None:
        return 1, 0
    attempt, sequence = divmod(int(known[0]), RESULTS)
    return attempt + 1, sequence + 1
