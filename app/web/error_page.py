"""The error page: what happened and what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import Request
from fastapi.responses import HTMLResponse
from sqlalchemy.exc import SQLAlchemyError

from app.api.request_state import find_exam
from app.catalog.name import NamedProblem, list_near
from app.database.engine import Database
from app.limits import RateLimitReached
from app.log import request_id
from app.web.render import render_page
from app.web.visit import Visit, count_visit, is_counted, read_path, read_visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Further content of the page. `visit` is None if it could not be read; `near` are similar problems."""

    visit: Visit | None = None
    near: Sequence[NamedProblem] = ()


def render_error(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Render the page. `detail` is shown if it says more than the status, but never for a server error."""
    phrase = HTTPStatus(status).phrase
    is_telling = bool(detail) and detail != phrase and status < HTTPStatus.INTERNAL_SERVER_ERROR
    try:
        around = _look_around(request, status)
    except RateLimitReached as fault:
        wait = {"Retry-After": str(fault.retry_seconds)}
        return render_error(request, HTTPStatus.TOO_MANY_REQUESTS, str(fault), wait)
    context = {
        "user": around.visit.user if around.visit else None,
        "may": around.visit.may if around.visit else None,
        "path": read_path(request),
        "announcement": around.visit.announcement if around.visit else "",
        "status": status,
        "title": _title(status) or phrase,
        "advice": detail if is_telling else _advice(status) or detail,
        "is_read": request.method in ("GET", "HEAD"),
        "around": around,
        "exam": find_exam(request),
        "request_id": request_id.get(),
    }
    return render_page("error.html", context, status, headers)


def _title(status: int) -> str | None:
    return {
        403: "Access denied",
        404: "Page not found",
        405: "Method not allowed",
        413: "Too large",
        422: "Invalid address",
        429: "Too many requests",
        500: "Something went wrong",
        503: "Allclose can't reach its database",
    }.get(status)


def _advice(status: int) -> str | None:
    return {
        403: "Your account is not allowed to do this.",
        404: "Check the address. The page may also belong to another user.",
        405: "Go back and use the buttons of the page.",
        413: "The limit for a source is 256 KiB. Go back: your text is still there.",
        429: "Wait a moment and try again. Your text is kept.",
        500: "We logged the error. Your submissions are safe.",
        503: "Your submissions are safe. Try again in a few seconds.",
    }.get(status)


def _look_around(request: Request, status: int) -> Around:
    """Read the visit and, for a 404, similar problems. A server error skips the database, which may be the cause.

    Searching for similar problems counts as a page view. Raises RateLimitReached.
    """
    database: Database | None = getattr(request.app.state, "database", None)
    if database is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return Around()
    try:
        if status != HTTPStatus.NOT_FOUND:
            return Around(visit=read_visit(request))
        if not is_counted(request):
            count_visit(request)
        with database.transaction() as session:
            near = list_near(session, request.url.path.rstrip("/").rpartition("/")[2])
        return Around(visit=read_visit(request), near=near)
    except SQLAlchemyError:
        return Around()
