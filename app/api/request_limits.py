"""Applies the limits of `app.limits` to each request, before its route: its rate, its user's changes, its body's size.

The dependencies at the end let requests that cost much wait for their turn, before they take a thread and a connection.
"""

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from datetime import timedelta
from functools import lru_cache
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit
from uuid import UUID

from fastapi import FastAPI, Request
from fastapi.routing import iter_route_contexts
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.accounts.permission import Permission, Viewer
from app.api.dependency import count_call, read_token
from app.api.error_code import CODE_OF
from app.api.request_state import get_database, get_limits, get_policy, get_queue_waits, shared_state
from app.catalog.archive import MAX_UPLOAD_BYTES
from app.courses.model import Sitting
from app.courses.sitting import note_address
from app.database.engine import Database
from app.errors import LimitReached
from app.limits import (
    MAX_BODY_BYTES,
    MAX_ESCAPES,
    MAX_UNKNOWN_BYTES,
    MAX_VISITOR_RUN_BYTES,
    RateLimitReached,
    RateLimitStatus,
)
from app.log import note_user
from app.policy import Policy
from app.submissions.exam_door import ExamDoor

# A body has this long to arrive, and a second more for each of so many bytes. A half-sent body would otherwise hold its
# connection for ever.
BODY_SECONDS = 20.0
LEAST_BYTES_PER_SECOND = 4 * 1024
_REFUSALS: tuple[type[Exception], ...] = (HTTPException, *CODE_OF)
_FOR_MACHINES = ("/api/", "/healthz", "/readyz", "/metrics")
_PACKAGE = re.compile("/api/v1/problems/[^/]+")
_SUBMIT = re.compile("/api/v1/problems/([^/]+)/submissions")
_VISITOR_RUN = re.compile("/problems/[^/]+/visitor-runs")
# Paths that accept a body without a sign-in.
_ENTRANCES = (
    "/api/v1/users",
    "/api/v1/tokens",
    "/sign-up",
    "/sign-in",
    "/sign-out",
    "/invitations/",
    "/forgot-password",
    "/reset-password/",
    "/lti/",
)


class RequestLimits:
    """Pure ASGI, so streams pass through unbuffered.

    `count_page` counts a request for a page, and `count_call` one to the API. Both keep the viewer in
    `request.state.viewer` for the code that follows. `ResponseHeaders` says in every counted answer how much of the
    rate limit is left.
    """

    def __init__(
        self,
        app: ASGIApp,
        count_page: Callable[[Request], Awaitable[RateLimitStatus]],
        answer_error: Callable[[Request, Exception], Response],
    ) -> None:
        self._app, self._count_page, self._answer_error = app, count_page, answer_error

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        most = MAX_UNKNOWN_BYTES
        try:
            if not _is_free(scope):
                await self._count(request)
            most = _most_bytes(scope)
            if (declared := _declared_bytes(scope)) > most:
                raise _too_large(scope, declared, most)
        except _REFUSALS as error:
            if is_for_machines(scope["path"]):  # a few words; a thread would cost more
                answer = self._answer_error(request, error)
            else:
                answer = await run_in_threadpool(self._answer_error, request, error)
            await answer(scope, receive, send)
        else:
            async with change_turn(request):
                await self._app(scope, _limited(scope, receive, most), send)

    async def _count(self, request: Request) -> None:
        """Raises LimitReached, and Refused during an exam and for what a learning platform opens not.

        It counts before anything else happens, since refusing costs time too.
        """
        try:
            if (slug := _find_problem(request)) is not None:
                await _admit(request, slug)
            elif is_for_machines(request.url.path):
                request.state.rate_limit = await count_call(request)
            else:
                request.state.rate_limit = await self._count_page(request)
        except RateLimitReached as error:
            request.state.rate_limit = error.status
            raise
        door: ExamDoor | None = getattr(request.state, "door", None)
        if door is not None and door.refusal is not None:
            raise door.refusal
        if door is not None and door.new_address is not None:
            await run_in_threadpool(_note_address, get_database(request), door.exam.sitting, door.new_address)
        viewer: Viewer | None = getattr(request.state, "viewer", None)
        if viewer is not None:
            viewer.require_page(request.url.path)


def _note_address(database: Database, sitting: Sitting, address: str) -> None:
    with database.transaction() as session:
        note_address(session, sitting, address)


def is_for_machines(path: str) -> bool:
    return path.startswith(_FOR_MACHINES)


def _is_free(scope: Scope) -> bool:
    """Whether the request is for a static file or a health check. The page for a missing file counts itself."""
    path = scope["path"]
    return scope["method"] in ("GET", "HEAD") and (path.startswith("/static/") or path in ("/healthz", "/readyz"))


def _find_user(request: Request) -> UUID | None:
    viewer = getattr(request.state, "viewer", None)
    return None if viewer is None else viewer.id


def _most_bytes(scope: Scope) -> int:
    """Return the limit of the body, which is larger where authors send packages."""
    if _find_user(Request(scope)) is None:
        return MAX_VISITOR_RUN_BYTES if _VISITOR_RUN.fullmatch(scope["path"]) else MAX_UNKNOWN_BYTES
    if scope["method"] == "PUT" and _PACKAGE.fullmatch(scope["path"]):
        return MAX_UPLOAD_BYTES
    if scope["method"] == "POST" and scope["path"].startswith("/author/") and _is_of_type(scope, "multipart/form-data"):
        return MAX_UPLOAD_BYTES
    return MAX_BODY_BYTES


def _is_of_type(scope: Scope, media_type: str) -> bool:
    return Headers(scope=scope).get("content-type", "").lower().startswith(media_type)


def _declared_bytes(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isdecimal() else 0


def _limited(scope: Scope, receive: Receive, most: int) -> Receive:
    """Return a `receive` that raises HTTPException when the body becomes too large or arrives too slowly."""
    received, escapes, is_whole, began = 0, 0, False, time.monotonic()
    scope["state"]["arrived"] = began  # where no one reads a body
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
        if is_whole:
            scope["state"]["arrived"] = time.monotonic()
        if received > most:
            raise _too_large(scope, received, most)
        escapes += message.get("body", b"").count(b"%")
        if escapes > most_escapes:
            text = f"The form has more than {most_escapes} escaped bytes, such as %C3. Shorten its text."
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, text)
        return message

    return counted


def _too_large(scope: Scope, size: int, most: int) -> HTTPException:
    """Return a 413. Where signing in is needed, return a 401, or a redirect to the sign-in page."""
    said = f"The body has at least {size} bytes; the limit is {most}"
    if _find_user(Request(scope)) is not None:
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


def _find_problem(request: Request) -> str | None:
    """Return the problem's slug if the request submits to it, and if it can be admitted before its body is read.

    With a key, the first request with it may have been accepted. So `submit` admits these, and those of pages.
    """
    path = _SUBMIT.fullmatch(request.url.path)
    can_repeat = bool(request.url.query) or "Idempotency-Key" in request.headers
    return path[1] if path is not None and request.method == "POST" and not can_repeat else None


def is_admitted(request: Request) -> bool:
    """Return whether the queue has admitted the submission already."""
    return getattr(request.state, "is_admitted", False)


async def _admit(request: Request, slug: str) -> None:
    """Count a submission's request, and refuse it if the queue is long, or if too many wait for their turn.

    In an overload, most requests are such submissions. So a token that the process has seen lately is looked up only
    after the queue has admitted the submission. Raises LimitReached.
    """
    viewer = shared_state(request).recent_tokens.find(read_token(request))
    if viewer is None:
        request.state.rate_limit = await count_call(request)
        viewer = request.state.viewer
    if viewer is not None and viewer.may(Permission.SUBMIT):
        try:
            await _check_queue(request, slug, viewer)
        except LimitReached:
            _count_refusal(request, viewer)
            raise
    if not hasattr(request.state, "rate_limit"):
        request.state.rate_limit = await count_call(request)


async def _check_queue(request: Request, slug: str, viewer: Viewer) -> None:
    """Take a place in the queue for the submission. Raises LimitReached, but not for what may be a hand-in."""
    policy, waits = get_policy(request), get_queue_waits(request)

    def read_both() -> Policy:
        waits.read()
        return policy.read()

    limits = policy.find_fresh()
    if limits is None or not waits.is_fresh():
        limits = await run_in_threadpool(read_both)
    if waits.may_be_handed_in(slug):
        return
    queue = waits.find_queue(slug)
    waits.check(queue, viewer.id, limits.max_queue_minutes)
    get_limits(request).submissions.check()
    waits.add(queue, viewer.id)
    request.state.is_admitted = True


def _count_refusal(request: Request, viewer: Viewer) -> None:
    """Do what happens to other requests once their token is looked up and their route is found."""
    request.scope["route"] = _find_submit_route(request.app)
    note_user(viewer.id)
    if not hasattr(request.state, "rate_limit"):
        request.state.rate_limit = get_limits(request).requests.use(str(viewer.id))


@lru_cache(maxsize=1)
def _find_submit_route(app: FastAPI) -> Any:
    """Return the route for the log and the metrics, which name it."""
    path = "/api/v1/problems/{slug}/submissions"
    return next(each.original_route for each in iter_route_contexts(app.routes) if each.path == path)


def change_turn(request: Request) -> AbstractAsyncContextManager[None]:
    """Let only a few of a user's changes run together. Other requests do not wait."""
    user_id = _find_user(request)
    if user_id is None or request.method in ("GET", "HEAD"):
        return nullcontext()
    return get_limits(request).changes.turn(user_id)


async def await_submit_turn(request: Request) -> AsyncIterator[None]:
    """Hold a turn until the answer is made; a dependency. Raises LimitReached.

    A user's submissions run one after the other: the second one would only wait for a lock on the user. While a queue
    is long, workers have enough to do, so all submissions run one after the other and leave time for pages.
    """
    limits = get_limits(request)
    async with limits.submissions.turn(), limits.own_submissions.turn(_find_user(request)):
        stored = limits.stored_in_long_queue if get_queue_waits(request).has_long_queue else limits.stored_submissions
        async with stored.turn():
            yield


async def await_hand_in_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, and never refuse. A hand-in's time is that of its arrival, so waiting costs nothing."""
    async with get_limits(request).hand_ins.turn():
        yield


def read_waited(request: Request) -> timedelta:
    """Return the time since the whole request has arrived."""
    return timedelta(seconds=time.monotonic() - request.state.arrived)


async def await_call_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, and as `await_hand_in_turn` for what may be a hand-in: only its transaction tells.

    There, practice is refused as anywhere.
    """
    waits = get_queue_waits(request)
    if not waits.is_fresh():
        await run_in_threadpool(waits.read)
    is_hand_in = waits.may_be_handed_in(request.path_params["slug"])
    async with asynccontextmanager(await_hand_in_turn if is_hand_in else await_submit_turn)(request):
        yield


async def await_visitor_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, for runs without an account. They take no turn of a student."""
    async with get_limits(request).visitor_runs.turn():
        yield


async def await_sign_up_turn(request: Request) -> AsyncIterator[None]:
    """As `await_submit_turn`, before the new password is checked and hashed. A class hashes on all cores."""
    async with get_limits(request).sign_ups.turn():
        yield
