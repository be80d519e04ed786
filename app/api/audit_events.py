"""The audit log: who did what, when and from where, and the values before and after."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from pydantic import Field

from app.admin.audit_log import AuditFilters, AuditPage, export_events, list_events, record_audit_export
from app.admin.export import Format
from app.api.archive import send_table
from app.api.dependency import Address, Auditor, SliceQuery, Stored, act_as
from app.api.openapi import EXPORT

router = APIRouter(prefix="/audit-events", tags=["administration"])


class AuditQuery(AuditFilters, SliceQuery):
    """The filters, and the part of the list."""


class AuditExport(AuditFilters):
    format: Format = Field("ndjson", description="the format of the file")


@router.get(
    "",
    operation_id="list_audit_events",
    summary="List audit events, newest first",
)
def get_audit_events(viewer: Auditor, database: Stored, query: Annotated[AuditQuery, Query()]) -> AuditPage:  # noqa: ARG001
    with database.transaction() as session:
        return list_events(session, query, query.cursor, query.limit)


@router.get(
    "/export",
    response_class=StreamingResponse,
    responses={200: EXPORT},
    summary="Download audit events as a file",
)
def export_audit_events(
    viewer: Auditor, address: Address, database: Stored, query: Annotated[AuditExport, Query()]
) -> StreamingResponse:
    """The file has the events as of the request. The audit log records the download."""
    with database.snapshot(viewer.id) as session:
        answer = send_table(export_events(session, query, query.format))
    with database.transaction() as session:
        record_audit_export(session, act_as(viewer, address), query)
    return answer
