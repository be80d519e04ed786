"""Refuses large request bodies before they are held in memory or parsed, and bodies that arrive too slowly.

Signing up, signing in and getting a token need a few hundred bytes. So a request without a valid sign-in may have only
a few KiB, and a visitor can't make the process parse more.
"""

import asyncio
import math
import re
import time
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

# 256 KiB of source in JSON, with room for escapes.
MAX_BODY_BYTES = 1024 * 1024
# A form holds a package's files uncompressed. The editor's page has each text twice.
MAX_FORM_BYTES = MAX_UPLOAD_BYTES
# A password of 1024 bytes, an e-mail address and the path of the next page, each byte escaped as `\\u00e9` or `%C3`.
MAX_UNKNOWN_BYTES = 16 * 1024
# A visitor's run: the form escapes most of the source's signs to three bytes.
MAX_VISITOR_RUN_BYTES = 64 * 1024
# The event loop decodes the escapes of a form (`%C3`), which takes more time and memory than their bytes. 256 KiB of
# source has at most this many, with its other fields. Authors' packages come as `multipart/form-data` without escapes.
MAX_ESCAPES = 300_000
# A body has this long to arrive, and a second more for each of so many bytes. A half-sent body would otherwise hold its
# connection for ever.
BODY_SECONDS = 20.0
LEAST_BYTES_PER_SECOND = 4 * 1024
_PACKAGE = re.compile("/api/v1/problems/[^/]+")
_VISITOR_RUN = re.compile("/problems/[^/]+/visitor-runs")
# Paths that accept a body without a sign-in.
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
    """Pure ASGI, after `RateLimit`, which finds the viewer. It buffers nothing, so streams pass through."""

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
    """Return the limit, which is larger where authors send packages."""
    if not _is_known(scope):
        return MAX_VISITOR_RUN_BYTES if _VISITOR_RUN.fullmatch(scope["path"]) else MAX_UNKNOWN_BYTES
    if scope["method"] == "PUT" and _PACKAGE.fullmatch(scope["path"]):
        return MAX_UPLOAD_BYTES
    if scope["method"] == "POST" and scope["path"].startswith("/author/") and _is_of_type(scope, "multipart/form-data"):
        return MAX_FORM_BYTES
    return MAX_BODY_BYTES


def _is_known(scope: Scope) -> bool:
    return getattr(Request(scope).state, "viewer", None) is not None


def _is_of_type(scope: Scope, media_type: str) -> bool:
    return Headers(scope=scope).get("content-type", "").lower().startswith(media_type)


def _declared_bytes(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isdecimal() else 0


def _counted(scope: Scope, receive: Receive, most: int) -> Receive:
    """Return a `receive` that raises HTTPException when the body becomes too large or arrives too slowly."""
    received, escapes, is_whole, began = 0, 0, False, time.monotonic()
    most_escapes = MAX_ESCAPES if _is_of_type(scope, "application/x-www-form-urlencoded") else math.inf

    async def counted() -> Message:
        nonlocal received, escapes, is_whole
        if is_whole:
            return await receive()
        left = BODY_SECONDS + received / LEAST_BYTES_PER_SECOND - (time.monotonic() - began)
        try:
            async with asyncio.timeout(left):
                message = await receive()
        except TimeoutError:
            text = f"Only {received} bytes of the body arrived in time. Send it again on a faster connection."
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, text, {"Connection": "close"}) from None
        received += len(message.get("body", b""))
        is_whole = not message.get("more_body", False)
        if received > most:
            raise _refusal(scope, received, most)
        escapes += message.get("body", b"").count(b"%")
        if escapes > most_escapes:
            text = f"The form has more than {most_escapes} escaped bytes, such as %C3. Shorten its text."
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        return message

    return counted


def _refusal(scope: Scope, size: int, most: int) -> HTTPException:
    """Return a 413. Where signing in is needed, return a 401, or a redirect to the sign-in page."""
    said = f"The body has at least {size} bytes; the limit is {most}"
    if _is_known(scope):
        return HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{said}. Send a shorter one.")
    said = f"{said} without signing in"
    if _VISITOR_RUN.fullmatch(scope["path"]):
        return HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{said}. Send shorter code, or sign in.")
    if scope["method"] in ("GET", "HEAD") or scope["path"].startswith(_ENTRANCES):
        return HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"{said}. Send a shorter one.")
    if is_for_machines(scope["path"]):
        remedy = "Get a token with POST /api/v1/tokens and send it as Authorization: Bearer alc_…"
        headers = {"WWW-Authenticate": 'Bearer realm="allclose"'}
        return HTTPException(HTTPStatus.UNAUTHORIZED, f"{said}. {remedy}", headers)
    if scope["method"] == "POST":
        # The page that the browser names still has the typed text.
        here = _path_of(Headers(scope=scope).get("referer", ""))
        headers = {"Location": "/sign-in?next=" + quote(here, safe="")}
        return HTTPException(HTTPStatus.SEE_OTHER, "Sign in first.", headers)
    return HTTPException(HTTPStatus.UNAUTHORIZED, f"{said}. Sign in and send it again.")


def _path_of(url: str) -> str:
    """Return the URL's path; the front page if it is not a URL."""
    try:
        return urlsplit(url).path or "/"
    except ValueError:
        return "/"
