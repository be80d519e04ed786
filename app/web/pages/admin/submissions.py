"""The submissions of all users, with filters and export."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Response

from app.accounts.permission import Permission, Viewer
from app.admin.export import Format
from app.admin.submission import export_submissions, record_submissions_export
from app.api.archive import send_table
from app.api.request_state import get_database
from app.catalog.name import list_named
from app.errors import NotFound
from app.judging.verdicts import Verdict
from app.submissions.query import HistoryFilters, SubmissionPage, list_submissions
from app.validation import read_fields, read_moment
from app.web.permission import needs
from app.web.visit import CurrentVisit, Visit

router = APIRouter(prefix="/admin/submissions")

Inspector = Annotated[Viewer, needs(Permission.INSPECT_SUBMISSIONS)]
# A longer number is a digest.
MAX_DIGITS = 6
FIELDS = ("user", "problem", "revision", "state", "verdict", "mode", "since", "until")


def read_filters(visit: CurrentVisit) -> HistoryFilters:
    """Read the filters; an empty field means no filter. Raises Invalid."""
    given: dict[str, Any] = {name: value or None for name, value in _given(visit).items()}
    times = {name: read_moment(name, given[name] or "") for name in ("since", "until")}
    return read_fields(HistoryFilters, given | times | _read_revision(given["revision"]))


def _read_revision(given: str | None) -> dict[str, Any]:
    """Read a revision's number, or the start of its digest, from one field."""
    is_number = given is not None and given.isascii() and given.isdigit() and len(given) <= MAX_DIGITS
    return {"revision": int(given)} if given is not None and is_number else {"revision": None, "digest": given}


Filters = Annotated[HistoryFilters, Depends(read_filters)]


@router.get("")
def show_submissions(visit: CurrentVisit, viewer: Inspector, filters: Filters, cursor: str = "") -> Response:  # noqa: ARG001
    with visit.transaction() as session:
        try:
            page, unknown = list_submissions(session, None, filters, cursor or None), ""
        except NotFound as fault:
            page, unknown = SubmissionPage(items=(), next=None), str(fault)
        problems = list_named(session)
    given = _given(visit)
    context: dict[str, Any] = {"page": page, "problems": problems, "verdicts": tuple(Verdict), "given": given}
    context["unknown"] = unknown
    query = {name: value for name, value in given.items() if value}
    context |= {"query": query, "criteria": {name: query[name] for name in query if name != "state"}}
    context["is_first"] = not cursor
    return visit.render("admin/submissions.html", context)


@router.get("/export")
def send_export(
    visit: CurrentVisit,
    viewer: Inspector,
    filters: Filters,
    format: Format = "csv",
    source: bool = False,
) -> Response:
    with get_database(visit.request).snapshot(viewer.id) as session:
        answer = send_table(export_submissions(session, filters, format, with_source=source))
    with visit.transaction() as session:
        record_submissions_export(session, visit.actor, filters, with_source=source)
    return answer


def _given(visit: Visit) -> dict[str, str]:
    return {name: visit.request.query_params.get(name, "").strip() for name in FIELDS}
