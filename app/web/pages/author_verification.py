"""A verification's page: live progress, report, publishing and cancelling."""

from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from app.accounts.permission import Permission, Viewer
from app.authoring.publication import publish_verified
from app.authoring.query import VerificationView, get_readable_verification, get_verification, view_verification
from app.authoring.send import cancel_as
from app.errors import Conflict, Outdated
from app.submissions.progress import ChangeStream
from app.web.address import VerificationId
from app.web.permission import Author
from app.web.render import HEADERS, render_text
from app.web.verification_html import render_fragment
from app.web.verification_status import describe_standing
from app.web.visit import CurrentVisit, Visit, hold_stream, require_own_origin, see_other

router = APIRouter(prefix="/author/verifications/{verification_id}")


def find_view(visit: CurrentVisit, author: Author, verification_id: VerificationId) -> VerificationView:
    """Read the verification; a dependency, so that a stream is refused before it starts. Raises NotFound."""
    with visit.transaction() as session:
        return view_verification(session, get_readable_verification(session, author.id, verification_id))


Known = Annotated[VerificationView, Depends(find_view)]


def hold_view(visit: CurrentVisit, author: Author, view: Known) -> Iterator[ChangeStream]:  # noqa: ARG001
    """Hold one of the author's streams. Raises LimitReached."""
    with hold_stream(visit, author, Permission.WRITE_PROBLEMS) as changes:
        yield changes


@router.get("")
def show_verification(visit: CurrentVisit, view: Known) -> Response:
    return _page(visit, view)


@router.get("/result")
def show_result(view: Known) -> Response:
    return Response(render_result(view), media_type="text/html", headers=HEADERS)


@router.get("/events", response_class=EventSourceResponse)
async def stream_progress(
    verification_id: VerificationId, changes: Annotated[ChangeStream, Depends(hold_view)]
) -> AsyncIterator[ServerSentEvent]:
    """Send the fragment of `/result` on every change, and `done` after the last."""

    def read(session: Session, _viewer: Viewer) -> VerificationView:
        return view_verification(session, get_verification(session, verification_id))

    async with aclosing(changes.stream(verification_id, read)) as views:
        async for view in views:
            yield ServerSentEvent(event="result", raw_data=render_result(view))
            if view.finished_at is not None:
                yield ServerSentEvent(event="done", raw_data="")
                return


@router.post("/publish", dependencies=[Depends(require_own_origin)])
def publish(visit: CurrentVisit, author: Author, view: Known) -> Response:  # noqa: ARG001
    try:
        with visit.transaction() as session:
            publish_verified(session, get_verification(session, view.id, with_files=True), visit.actor)
    except (Conflict, Outdated) as refusal:
        return _page(visit, view, message=str(refusal), status=409)
    return see_other(f"/author/problems/{view.problem}")


@router.post("/cancel", dependencies=[Depends(require_own_origin)])
def stop(visit: CurrentVisit, view: Known) -> Response:
    with visit.transaction() as session:
        cancel_as(session, visit.actor, get_verification(session, view.id))
    return see_other(f"/author/verifications/{view.id}")


def render_result(view: VerificationView) -> str:
    return render_text("fragments/verification.html", _context(view))


def _page(visit: Visit, view: VerificationView, *, message: str = "", status: int = 200) -> Response:
    return visit.render("author/verification.html", {**_context(view), "message": message}, status)


def _context(view: VerificationView) -> dict[str, Any]:
    report = render_fragment(view.report, f"/author/edit?verification={view.id}") if view.report else ""
    return {"view": view, "standing": describe_standing(view), "report": report}
