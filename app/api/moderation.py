"""Reports by users, and decisions by moderators."""

from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import Field

from app.api.dependency import Address, Discusser, Moderator, Sliced, Stored, act_as
from app.api.request_state import require_discussions, require_shared_solutions
from app.learning.moderation import (
    MAX_REASON,
    PostDecision,
    ReportPage,
    SharedDecision,
    decide_on_post,
    decide_on_shared,
    list_reports,
    report_post,
    report_shared,
)
from app.validation import Body

router = APIRouter(tags=["discussions"])


class NewReport(Body):
    """You report an entry once; a second report changes nothing. After a moderator's decision it is refused."""

    reason: str = Field(
        json_schema_extra={"minLength": 1, "maxLength": MAX_REASON},
        description="what is wrong",
        examples=["It gives the solution away."],
    )


class PostDecided(Body):
    decision: PostDecision = Field(description="`dismiss` closes the reports and changes nothing else")


class SharedDecided(Body):
    decision: SharedDecision = Field(description="`dismiss` closes the reports and changes nothing else")


@router.put(
    "/posts/{post_id}/report",
    status_code=HTTPStatus.NO_CONTENT,
    dependencies=[Depends(require_discussions)],
    operation_id="report_post",
    summary="Report a question or an answer to the moderators",
)
def put_post_report(post_id: UUID, new: NewReport, viewer: Discusser, database: Stored) -> None:
    with database.transaction() as session:
        report_post(session, viewer, post_id, new.reason)


@router.put(
    "/shared-solutions/{submission_id}/report",
    status_code=HTTPStatus.NO_CONTENT,
    dependencies=[Depends(require_shared_solutions)],
    operation_id="report_shared_solution",
    summary="Report a shared solution to the moderators",
)
def put_shared_report(submission_id: UUID, new: NewReport, viewer: Discusser, database: Stored) -> None:
    with database.transaction() as session:
        report_shared(session, viewer, submission_id, new.reason)


@router.get(
    "/reports",
    operation_id="list_reports",
    summary="List the open reports, newest first",
)
def get_reports(viewer: Moderator, database: Stored, wanted: Sliced) -> ReportPage:  # noqa: ARG001
    with database.transaction() as session:
        return list_reports(session, wanted)


@router.post(
    "/posts/{post_id}/decision",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="decide_on_post",
    summary="Hide, show, lock, unlock or mark a post, or keep it",
)
def post_decision(post_id: UUID, new: PostDecided, viewer: Moderator, address: Address, database: Stored) -> None:
    with database.transaction() as session:
        decide_on_post(session, act_as(viewer, address), post_id, new.decision)


@router.post(
    "/shared-solutions/{submission_id}/decision",
    status_code=HTTPStatus.NO_CONTENT,
    operation_id="decide_on_shared_solution",
    summary="Hide or show a shared solution, or keep it",
)
def post_shared_decision(
    submission_id: UUID, new: SharedDecided, viewer: Moderator, address: Address, database: Stored
) -> None:
    with database.transaction() as session:
        decide_on_shared(session, act_as(viewer, address), submission_id, new.decision)
