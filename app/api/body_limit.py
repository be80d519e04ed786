"""Bodies larger than what is taken are refused before they are held in memory or parsed.

What people send to sign up, to sign in and to get a token has a few hundred bytes. So without signing in a body has a
few KiB, and a visitor can't make the process parse more.
"""

from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.error_answer import is_for_machines
from app.catalog.archive import MAX_UPLOAD_BYTES

# 256 KiB of source in JSON, with room for what escapes add to it.
MAX_BODY_BYTES = 1024 * 1024
# A form holds a package's files as they are, with line ends of two bytes.
MAX_FORM_BYTES = 2 * MAX_UPLOAD_BYTES
# A password of 1024 bytes, an e-mail address and a path to go on to, each byte of them as `\\u00e9` or `%C3`.
MAX_UNKNOWN_BYTES = 16 * 1024
# What people send before they are signed in. Everywhere else a body is of use from those who are.
_ENTRANCES = (
    "/api/v1/users",
    "/api/v1/tokens",
    "/api/v1/password-resets",
    "/sign-up",
    "/sign-in",
    "/sign-out",
    "/invitations/",
    "/forgot-password",
    "/reset-password/",
)


class BodyLimit:
    """Pure ASGI, after `RateLimit`, which says who asks: nothing is buffered, so streams pass through."""

    def __init__(self, app: ASGIApp, answer_error: Callable[[Request, Exception], Response]) -> None:
        self._app, self._answer_error = app, answer_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif (declared := _declared_bytes(scope)) > (most := _most_bytes(scope)):
            answer = await run_in_threadpool(self._answer_error, Request(scope), _refusal(scope, declared, most))
            await answer(scope, receive, send)
        else:
            await self._app(scope, _counted(scope, receive, most), send)


def _most_bytes(scope: Scope) -> int:
    """More where authors send packages."""
    if not _is_known(scope):
        return MAX_UNKNOWN_BYTES
    if scope["method"] == "PUT" and scope["path"].startswith("/api/v1/problems/"):
        return MAX_UPLOAD_BYTES
    if scope["method"] == "POST" and scope["path"].startswith("/author/"):
        return MAX_FORM_BYTES
    return MAX_BODY_BYTES


def _is_known(scope: Scope) -> bool:
    return getattr(Request(scope).state, "viewer", None) is not None


def _declared_bytes(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isdecimal() else 0


def _counted(scope: Scope, receive: Receive, most: int) -> Receive:
    """Raises HTTPException once a body sent in chunks has grown too large."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise _refusal(scope, received, most)
        return message

    return counted


def _refusal(scope: Scope, size: int, most: int) -> HTTPException:
    """Return a 413. Where signing in is needed, return a 401, or a redirect to the page that signs in."""
    said = f"the body has {size} bytes or more; at most {most} are taken"
    if _is_known(scope):
        return HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{said} here, so send something shorter")
    said = f"{said} without signing in"
    if scope["method"] in ("GET", "HEAD") or scope["path"].startswith(_ENTRANCES):
        return HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{said}, so send something shorter")
    if is_for_machines(scope["path"]):
        remedy = "get a token that works with POST /api/v1/tokens and send it as Authorization: Bearer alc_…"
        headers = {"WWW-Authenticate": 'Bearer realm="allclose"'}
        return HTTPException(HTTPStatus.UNAUTHORIZED, f"{said}; {remedy}", headers)
    if scope["method"] == "POST":
        # What was typed is still on the page that the browser names.
        here = _path_of(Headers(scope=scope).get("referer", ""))
        headers = {"Location": "/sign-in?next=" + quote(here, safe="")}
        return HTTPException(HTTPStatus.SEE_OTHER, "sign in first", headers)
    return HTTPException(HTTPStatus.UNAUTHORIZED, f"{said}; sign in and send it again")


def _path_of(url: str) -> str:
    """The front page for what is no URL."""
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return "/"
