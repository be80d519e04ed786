"""The page for whatever went wrong."""

from collections.abc import Mapping
from http import HTTPStatus

from fastapi import Request
from fastapi.responses import HTMLResponse

from app.web.render import render_page

ADVICE = {
    403: "You may not do this.",
    404: "There is no such page. The address may be mistyped, or the thing may belong to someone else.",
    405: "This address does not take that kind of request. Go back and use the page's own buttons.",
    413: "What you sent is too large. A source may have up to 256 KiB.",
    429: "That was too much at once. Wait a little and try again.",
    500: "Our fault: something broke here, and it has been written down. Nothing that you submitted is lost.",
    503: "Allclose can't reach its database right now. Try again in a few seconds.",
}


def render_error(request: Request, status: int, detail: str, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """Knows nothing of who asks, since the database may be what is broken."""
    phrase = HTTPStatus(status).phrase
    advice = detail if detail and detail != phrase and status < 500 else ADVICE.get(status, detail)
    context = {"user": None, "path": request.url.path, "status": status, "phrase": phrase, "advice": advice}
    return render_page("error.html", context, status, headers)
