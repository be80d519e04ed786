"""Gives every request an ID, a line in the log, and its metrics.

All of these name the route's template and never the path or the query, which may contain a secret such as that of a
password reset link.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from fastapi import Request
from fastapi.routing import iter_route_contexts
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.log import Found, found, note_submission, read_request_id, request_id

_log = logging.getLogger("allclose.access")
# Routes that browsers and monitoring fetch all the time: logged at debug level only.
_QUIET = ("/static/", "/healthz", "/readyz", "/metrics")
MAX_COOKIE_BYTES = 8192
# nginx's number for a client that disconnected before the answer.
LEFT = 499
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# The label of a request without a route. Its path could be any text.
NO_ROUTE = "none"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Traffic:
    """Counts requests. The labels' values are limited: methods, route templates and HTTP statuses."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "allclose_http_requests",
            "Requests answered, by route template",
            ["method", "route", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "allclose_http_request_duration_seconds",
            "Time from a request to the end of its response, without event streams",
            ["method", "route"],
            buckets=_SECONDS,
            registry=registry,
        )
        self.streams = Gauge("allclose_event_streams_open", "Open event streams", registry=registry)
        self._errors = Counter("allclose_errors", "Internal errors, by class", ["part", "kind"], registry=registry)

    def count(self, method: str, route: str, status: int) -> None:
        self._requests.labels(_known(method), route, str(status)).inc()

    def take_time(self, method: str, route: str, seconds: float) -> None:
        self._seconds.labels(_known(method), route).observe(seconds)

    def count_error(self, error: Exception) -> None:
        self._errors.labels("web", type(error).__name__).inc()


def _known(method: str) -> str:
    return method if method in METHODS else "other"


@dataclass(slots=True)
class _Exchange:
    """A request and the facts known so far about its answer."""

    scope: Scope
    status: int = LEFT
    is_stream: bool = False
    begun: float = field(default_factory=time.monotonic)

    @property
    def traffic(self) -> Traffic:
        traffic: Traffic = self.scope["app"].state.traffic
        return traffic


async def note_path(request: Request) -> None:
    """A dependency of every route. It is async because a thread would cost more than the work."""
    if submission := request.path_params.get("submission_id"):
        note_submission(submission)


class RequestContext:
    """Pure ASGI, so streams pass through unbuffered. Its context variables end with the request's task."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._templates: dict[int, str] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["headers"] = [each for each in scope["headers"] if not _is_bad_cookie(*each)]
        exchange = _Exchange(scope)

        async def send_noting(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._note_start(exchange, message)
            await send(message)

        with self._around(exchange):
            await self._app(scope, receive, send_noting)

    @contextmanager
    def _around(self, exchange: _Exchange) -> Iterator[None]:
        request_id.set(read_request_id(Headers(scope=exchange.scope).get("x-request-id")))
        found.set(Found())
        try:
            yield
        except Exception:
            exchange.status = 500
            raise
        finally:
            self._note_end(exchange, self._route_of(exchange.scope))

    def _note_start(self, exchange: _Exchange, message: Message) -> None:
        exchange.status = message["status"]
        exchange.is_stream = Headers(raw=message["headers"]).get("content-type", "").startswith("text/event-stream")
        if exchange.is_stream:
            exchange.traffic.streams.inc()

    def _note_end(self, exchange: _Exchange, route: str) -> None:
        seconds = time.monotonic() - exchange.begun
        self._count(exchange, route, seconds)
        _log_end(exchange, route, seconds)

    def _count(self, exchange: _Exchange, route: str, seconds: float) -> None:
        method = exchange.scope["method"]
        exchange.traffic.count(method, route, exchange.status)
        if exchange.is_stream:
            exchange.traffic.streams.dec()
        else:
            exchange.traffic.take_time(method, route, seconds)

    def _route_of(self, scope: Scope) -> str:
        """Return the template of the request's route, with its prefixes."""
        if not self._templates and "app" in scope:
            contexts = iter_route_contexts(scope["app"].routes)
            self._templates = {id(each.original_route): each.path_format for each in contexts if each.path_format}
        return self._templates.get(id(scope.get("route")), NO_ROUTE)


def _is_bad_cookie(name: bytes, value: bytes) -> bool:
    """Whether a cookie is too long or has a backslash: Python up to 3.11.9 takes quadratic time (CVE-2024-7592)."""
    return name == b"cookie" and (b"\\" in value or len(value) > MAX_COOKIE_BYTES)


def _log_end(exchange: _Exchange, route: str, seconds: float) -> None:
    method, status = exchange.scope["method"], exchange.status
    level = logging.WARNING if status >= 500 else logging.DEBUG if route.startswith(_QUIET) else logging.INFO
    told = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
    _log.log(level, "%s %s %d in %.3f s", method, route, status, seconds, extra=told)
