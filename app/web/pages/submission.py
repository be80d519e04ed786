"""A submission's page: verdict and cases, updated live while it is judged."""

import hashlib
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import Permission, Viewer
from app.admin.submission import inspect_judgings
from app.courses.model import Assignment, Course
from app.errors import NotFound
from app.learning.progress import AcceptedSteps, find_next_steps
from app.learning.shared_solution import read_sharing
from app.rejudging.change import list_replaced
from app.submissions.cancel import cancel_as
from app.submissions.model import Submission
from app.submissions.progress import ChangeStream
from app.submissions.query import get_submission, require_readable
from app.submissions.view import SubmissionView
from app.submissions.view_query import ViewReader
from app.web.address import SubmissionId
from app.web.render import HEADERS, render_text
from app.web.result import Result, describe_result
from app.web.visit import CurrentVisit, Visit, hold_stream, require_own_origin, see_other

router = APIRouter()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionResult:
    submission: Submission
    view: SubmissionView
    next_steps: AcceptedSteps | None

    @property
    def result(self) -> Result:
        return replace(describe_result(self.view), next_steps=self.next_steps)


@router.get("/submissions/{submission_id}")
def show_submission(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    if visit.user is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        shown = read_one(session, _viewer(visit), submission_id)
        is_own, is_done = shown.submission.user_id == visit.user.id, shown.view.state == "done"
        replaced = list_replaced(session, submission_id) if is_done and not shown.view.withheld else []
        inspected = _inspect(session, visit, shown.submission)
        sharing = read_sharing(session, shown.submission) if is_own and is_done else "none"
        handed_in = _find_assignment(session, shown.submission)
    problem = {"slug": shown.view.problem, "title": shown.view.title}
    context = {"submission": shown.submission, "problem": problem, "result": shown.result, "replaced": replaced}
    context |= inspected | handed_in
    digest = hashlib.sha256(shown.submission.source.encode()).hexdigest() if shown.view.withheld else ""
    return visit.render("submission.html", context | {"sharing": sharing, "source_digest": digest})


@router.get("/submissions/{submission_id}/result")
def show_result(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    fragment = render_result(read_shown(visit, submission_id).result)
    return Response(fragment, media_type="text/html", headers=HEADERS)


@router.post("/submissions/{submission_id}/cancel", dependencies=[Depends(require_own_origin)])
def stop(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    with visit.transaction() as session:
        cancel_as(session, visit.actor, get_submission(session, submission_id, _viewer(visit)))
    return see_other(f"/submissions/{submission_id}")


def hold_readable(visit: CurrentVisit, submission_id: SubmissionId) -> Iterator[ChangeStream]:
    """Hold one of the user's streams; a dependency, so that a stream is refused before it starts."""
    with visit.transaction() as session:
        require_readable(session, submission_id, _viewer(visit))
    with hold_stream(visit, _viewer(visit), Permission.READ_SUBMISSIONS) as changes:
        yield changes


@router.get("/submissions/{submission_id}/events", response_class=EventSourceResponse)
async def stream_results(
    submission_id: SubmissionId, changes: Annotated[ChangeStream, Depends(hold_readable)]
) -> AsyncIterator[ServerSentEvent]:
    """Send the fragment of `/result` on every change, and `done` after the last."""
    reader = ViewReader(submission_id)

    def read(session: Session, viewer: Viewer) -> Result:
        return _show(session, viewer, *reader.read(session, viewer)).result

    async with aclosing(changes.stream(submission_id, read)) as results:
        async for result in results:
            yield ServerSentEvent(event="result", raw_data=render_result(result))
            if result.is_final:
                yield ServerSentEvent(event="done", raw_data="")
                return


def render_result(result: Result) -> str:
    return render_text("fragments/result.html", {"result": result})


def read_shown(visit: Visit, submission_id: UUID) -> SubmissionResult:
    """Read the submission. Raises NotFound, also for a visitor who is not signed in."""
    with visit.transaction() as session:
        return read_one(session, _viewer(visit), submission_id)


def read_one(session: Session, viewer: Viewer, submission_id: UUID) -> SubmissionResult:
    """Raises NotFound."""
    return _show(session, viewer, *ViewReader(submission_id).read(session, viewer))


def _show(session: Session, viewer: Viewer, submission: Submission, view: SubmissionView) -> SubmissionResult:
    is_own = submission.user_id == viewer.id
    next_steps = find_next_steps(session, submission, view) if is_own else None
    return SubmissionResult(submission=submission, view=view, next_steps=next_steps)


def _find_assignment(session: Session, submission: Submission) -> dict[str, Any]:
    """Return what the submission was handed in for: the assignment and its address."""
    if submission.assignment_id is None:
        return {"assignment": None}
    assignment = session.get_one(Assignment, submission.assignment_id)
    course = session.get_one(Course, assignment.course_id)
    return {"assignment": assignment, "assignment_path": f"/courses/{course.slug}/assignments/{assignment.slug}"}


def _inspect(session: Session, visit: Visit, submission: Submission) -> dict[str, Any]:
    """Return the submission's owner and judgings for admins."""
    if not visit.may(Permission.INSPECT_SUBMISSIONS):
        return {"owner": "", "judgings": ()}
    return {
        "owner": session.get_one(User, submission.user_id).username,
        "judgings": inspect_judgings(session, submission),
    }


def _viewer(visit: Visit) -> Viewer:
    if visit.viewer is None:
        raise NotFound("you are not signed in; sign in and open the submission again")
    return visit.viewer
