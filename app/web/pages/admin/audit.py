"""The audit log, with filters and export."""

from typing import Annotated, Any, get_args

from fastapi import APIRouter, Depends, Response

from app.accounts.permission import Permission, Viewer
from app.admin.audit_log import (
    AuditFilters,
    AuditPage,
    export_events,
    list_actions,
    list_events,
    record_audit_export,
)
from app.admin.export import Format
from app.api.archive import send_table
from app.api.request_state import get_database
from app.audit import Channel
from app.errors import NotFound
from app.validation import read_fields, read_moment
from app.web.permission import needs
from app.web.visit import CurrentVisit

router = APIRouter(prefix="/admin/audit")

Auditor = Annotated[Viewer, needs(Permission.READ_AUDIT)]
FIELDS = ("actor", "channel", "about", "action", "kind", "target", "since", "until")
CHANNELS = get_args(Channel)


def read_filters(visit: CurrentVisit) -> AuditFilters:
    """Read the filters; an empty field means no filter. Raises Invalid."""
    given: dict[str, Any] = {name: visit.request.query_params.get(name, "").strip() or None for name in FIELDS}
    times = {name: read_moment(name, given[name] or "") for name in ("since", "until")}
    return read_fields(AuditFilters, given | times)


Filters = Annotated[AuditFilters, Depends(read_filters)]


@router.get("")
def show_audit_log(visit: CurrentVisit, viewer: Auditor, filters: Filters, cursor: str = "") -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        try:
            page, unknown = list_events(session, filters, cursor or None), ""
        except NotFound as fault:
            page, unknown = AuditPage(items=(), next=None), str(fault)
        actions = list_actions(session)
    given = {name: visit.request.query_params.get(name, "") for name in FIELDS}
    query = {name: value for name, value in given.items() if value}
    context = {
        "page": page,
        "unknown": unknown,
        "actions": actions,
        "channels": CHANNELS,
        "given": given,
        "query": query,
        "is_first": not cursor,
    }
    return visit.render("admin/audit.html", context)


@router.get("/export")
def export_audit_log(
    visit: CurrentVisit,
    viewer: Auditor,
    filters: Filters,
    format: Format = "csv",
) -> Response:
    with get_database(visit.request).snapshot(viewer.id) as session:
        answer = send_table(export_events(session, filters, format))
    with visit.transaction() as session:
        record_audit_export(session, visit.actor, filters)
    return answer
