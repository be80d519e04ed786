"""All users' submissions as a file, for admins."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from app.admin.export import Format
from app.admin.submission import export_submissions, record_submissions_export
from app.api.archive import send_table
from app.api.dependency import Address, Inspector, Stored, act_as
from app.api.openapi import EXPORT
from app.submissions.query import HistoryFilters

router = APIRouter(prefix="/submissions", tags=["administration"])


class SubmissionExport(HistoryFilters):
    format: Format = Field("ndjson", description="the format of the file")
    source: bool = Field(False, description="true: include the source code")


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
