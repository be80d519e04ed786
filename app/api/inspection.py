"""All users' submissions as a file, and all judgings of a submission, for admins."""

from operator import attrgetter
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from app.admin.export import Format
from app.admin.submission import (
    InspectedJudging,
    export_submissions,
    inspect_judgings,
    record_submissions_export,
)
from app.api.archive import send_table
from app.api.dependency import Address, Inspector, ShortSliced, Stored, act_as
from app.api.openapi import EXPORT
from app.database.cursor import cut_list
from app.submissions.query import HistoryFilters, get_submission

router = APIRouter(prefix="/submissions", tags=["administration"])


class SubmissionExport(HistoryFilters):
    format: Format = Field("ndjson", description="the format of the file")
    source: bool = Field(False, description="true: include the source code")


class InspectedJudgingList(BaseModel):
    """Newest first."""

    items: tuple[InspectedJudging, ...]
    next: str | None = Field(None, description="the `cursor` of the next page; null on the last page")


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: EXPORT},
    operation_id="export_submissions",
    summary="Download all users' submissions as a file",
)
def get_export(
    viewer: Inspector,
    address: Address,
    database: Stored,
    query: Annotated[SubmissionExport, Query()],
) -> StreamingResponse:
    """The file has the submissions as of the request. The audit log records the download."""
    with database.snapshot(viewer.id) as session:
        answer = send_table(export_submissions(session, query, query.format, with_source=query.source))
    with database.transaction() as session:
        record_submissions_export(session, act_as(viewer, address), query, with_source=query.source)
    return answer


@router.get(
    "/{submission_id}/all-judgings",
    operation_id="list_all_judgings",
    summary="List all judgings of a submission",
)
def get_judgings(submission_id: UUID, viewer: Inspector, database: Stored, wanted: ShortSliced) -> InspectedJudgingList:
    with database.transaction() as session:
        judgings = inspect_judgings(session, get_submission(session, submission_id, viewer))
    items, following = cut_list(judgings, attrgetter("id"), wanted)
    return InspectedJudgingList(items=tuple(items), next=following)
