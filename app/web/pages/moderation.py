"""Reports of users, and the decisions of moderators."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Response

from app.accounts.permission import Permission, Viewer
from app.api.request_state import require_discussions, require_shared_solutions
from app.database.cursor import Slice
from app.errors import Invalid, LimitReached
from app.learning.discussion import get_readable_post
from app.learning.moderation import (
    MAX_REASON,
    PostDecision,
    ReportClosed,
    SharedDecision,
    decide_on_post,
    decide_on_shared,
    list_reports,
    report_post,
    report_shared,
)
from app.learning.shared_solution import get_shared
from app.web.address import PostId, SubmissionId
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit, local_path, require_own_origin, see_other

router = APIRouter()

PAGE = 50
LIST = "/author/reports"

_STATUSES = {LimitReached: 429, ReportClosed: 409}

Moderator = Annotated[Viewer, needs(Permission.MODERATE, home=LIST)]
Back = Annotated[str, Form(alias="next", description="the page with the button")]
Reason = Annotated[str, Form()]


@router.get(LIST)
def show_reports(visit: CurrentVisit, moderator: Moderator, cursor: str = "") -> Response:
    with visit.transaction() as session:
        page = list_reports(session, moderator.id, Slice(cursor=cursor or None, limit=PAGE))
    return visit.render("author/reports.html", {"page": page, "cursor": cursor})


@router.get("/posts/{post_id}/report", dependencies=[Depends(require_discussions)])
def show_post_report(visit: CurrentVisit, post_id: PostId) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    return _render_report(visit, f"/posts/{post_id}/report", _question_of(visit, visit.viewer, post_id))


@router.post("/posts/{post_id}/report", dependencies=[Depends(require_own_origin), Depends(require_discussions)])
def send_post_report(visit: CurrentVisit, post_id: PostId, reason: Reason = "") -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"/posts/{post_id}/report")
    back = _question_of(visit, visit.viewer, post_id)
    try:
        with visit.transaction() as session:
            report_post(session, visit.viewer, post_id, reason)
    except (Invalid, LimitReached, ReportClosed) as fault:
        return _render_report(visit, f"/posts/{post_id}/report", back, reason, fault)
    return see_other(f"{back}?done=reported")


@router.get("/solutions/{submission_id}/report", dependencies=[Depends(require_shared_solutions)])
def show_shared_report(visit: CurrentVisit, submission_id: SubmissionId) -> Response:
    if visit.viewer is None:
        return visit.ask_to_sign_in()
    with visit.transaction() as session:
        get_shared(session, visit.viewer, submission_id)
    back = f"/solutions/{submission_id}"
    return _render_report(visit, f"{back}/report", back)


@router.post(
    "/solutions/{submission_id}/report", dependencies=[Depends(require_own_origin), Depends(require_shared_solutions)]
)
def send_shared_report(visit: CurrentVisit, submission_id: SubmissionId, reason: Reason = "") -> Response:
    back = f"/solutions/{submission_id}"
    if visit.viewer is None:
        return visit.ask_to_sign_in(f"{back}/report")
    try:
        with visit.transaction() as session:
            report_shared(session, visit.viewer, submission_id, reason)
    except (Invalid, LimitReached, ReportClosed) as fault:
        return _render_report(visit, f"{back}/report", back, reason, fault)
    return see_other(f"{back}?done=reported")


@router.post("/posts/{post_id}/decision", dependencies=[Depends(require_own_origin)])
def send_post_decision(
    visit: CurrentVisit,
    moderator: Moderator,  # noqa: ARG001
    post_id: PostId,
    decision: Annotated[PostDecision, Form()],
    back: Back = LIST,
) -> Response:
    with visit.transaction() as session:
        decide_on_post(session, visit.actor, post_id, decision)
    return see_other(local_path(back))


@router.post("/solutions/{submission_id}/decision", dependencies=[Depends(require_own_origin)])
def send_shared_decision(
    visit: CurrentVisit,
    moderator: Moderator,  # noqa: ARG001
    submission_id: SubmissionId,
    decision: Annotated[SharedDecision, Form()],
    back: Back = LIST,
) -> Response:
    with visit.transaction() as session:
        decide_on_shared(session, visit.actor, submission_id, decision)
    return see_other(local_path(back))


def _question_of(visit: Visit, viewer: Viewer, post_id: UUID) -> str:
    """Return the address of the question that the post is or answers. Raises NotFound."""
    with visit.transaction() as session:
        post = get_readable_post(session, viewer, post_id)
    return f"/questions/{post.question_id or post.id}"


def _render_report(
    visit: Visit, action: str, back: str, reason: str = "", fault: Invalid | LimitReached | ReportClosed | None = None
) -> Response:
    context = {"action": action, "back": back, "reason": reason, "refusal": str(fault or ""), "most": MAX_REASON}
    status = 200 if fault is None else _STATUSES.get(type(fault), 422)
    return visit.render("report_entry.html", context, status)
