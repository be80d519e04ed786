"""The page of a visitor's run: its result and its code, for the browser that was sent to the run's address."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from app.api.request_state import get_limits, get_progress
from app.errors import NotFound
from app.limits import network_of
from app.submissions.cancel import cancel
from app.submissions.model import Submission
from app.submissions.progress import Progress, stream_changes
from app.submissions.query import get_submission
from app.submissions.view import SubmissionView
from app.submissions.view_query import ViewReader
from app.web.address import SubmissionId
from app.web.pages.submission import render_result
from app.web.render import HEADERS
from app.web.result import Result, describe_result
from app.web.visit import CurrentVisit, Visit, read_address, require_own_origin, see_other

router = APIRouter(prefix="/visitor-runs/{submission_id}")


class RunNotFound(NotFound):
    def __init__(self) -> None:
        super().__init__(
            "This result is deleted. Without an account, results are kept for a few minutes. Run the samples again."
        )


@router.get("")
def show_run(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    submission, view = _read(visit, submission_id)
    problem = {"slug": view.problem, "title": view.title}
    context = {"submission": submission, "problem": problem, "result": _describe(view)}
    return visit.render("visitor_run.html", context)


@router.get("/result")
def show_run_result(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    fragment = render_result(_describe(_read(visit, submission_id)[1]))
    return Response(fragment, media_type="text/html", headers=HEADERS)


@router.post("/cancel", dependencies=[Depends(require_own_origin)])
def cancel_run(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    with visit.transaction() as session:
        try:
            run = get_submission(session, submission_id, None)
        except NotFound:
            raise RunNotFound from None
        cancel(session, run)
    return see_other(f"/visitor-runs/{submission_id}")


def hold_run(visit: CurrentVisit, submission_id: SubmissionId) -> Iterator[Progress]:
    """Hold one of the network's streams; a dependency, so that a stream is refused before it starts."""
    _read(visit, submission_id)
    with get_limits(visit.request).streams.place(network_of(read_address(visit.request))):
        yield get_progress(visit.request)


@router.get("/events", response_class=EventSourceResponse)
async def stream_run(
    submission_id: SubmissionId, progress: Annotated[Progress, Depends(hold_run)]
) -> AsyncIterator[ServerSentEvent]:
    """Send the fragment of `/result` on every change, and `done` after the last."""
    reader = ViewReader(submission_id)

    def read(session: Session) -> Result | None:
        try:
            return _describe(reader.read(session, None)[1])
        except NotFound:
            return None

    async with aclosing(stream_changes(progress, submission_id, read)) as results:
        async for result in results:
            yield ServerSentEvent(event="result", raw_data=render_result(result))
            if result.is_final:
                yield ServerSentEvent(event="done", raw_data="")
                return


def _read(visit: Visit, run_id: UUID) -> tuple[Submission, SubmissionView]:
    """Raises RunNotFound."""
    try:
        with visit.transaction() as session:
            return ViewReader(run_id).read(session, None)
    except NotFound:
        raise RunNotFound from None


def _describe(view: SubmissionView) -> Result:
    result = describe_result(view)
    return replace(result, stop=f"/visitor-runs/{view.id}/cancel") if result.stop else result
