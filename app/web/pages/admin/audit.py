"""The log of what was done, with filters, and as a file."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from app.accounts.right import Right
from app.accounts.viewer import Viewer
from app.administration.audit_log import AuditFilters, export_events, list_actions, list_events
from app.administration.export import Format
from app.web.attachment import send_table
from app.web.dependency import get_database
from app.web.gate import needs
from app.web.moment import read_moment
from app.web.visit import CurrentVisit

router = APIRouter(prefix="/admin/audit")

Auditor = Annotated[Viewer, needs(Right.READ_AUDIT)]
FIELDS = ("actor", "action", "kind", "target", "since", "until")


def read_filters(visit: CurrentVisit) -> AuditFilters:
    """An empty field of the form is no filter. Raises Invalid."""
    given: dict[str, Any] = {name: visit.request.query_params.get(name, "").strip() or None for name in FIELDS}
    times = {name: read_moment(name, given[name] or "") for name in ("since", "until")}
    return AuditFilters(**given | times)


Filters = Annotated[AuditFilters, Depends(read_filters)]


@router.get("")
def show_audit_log(visit: CurrentVisit, viewer: Auditor, filters: Filters, cursor: str = "") -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        page = list_events(session, filters, cursor or None)
        actions = list_actions(session)
    given = {name: visit.request.query_params.get(name, "") for name in FIELDS}
    query = {name: value for name, value in given.items() if value}
    context = {"page": page, "actions": actions, "given": given, "query": query, "is_first": not cursor}
    return visit.render("admin/audit.html", context)


@router.get("/export")
def export_audit_log(
    visit: CurrentVisit,
    viewer: Auditor,  # noqa: ARG001
    filters: Filters,
    format: Format = "csv",
) -> Response:
    with get_database(visit.request).snapshot() as session:
        return send_table(export_events(session, filters, format))
