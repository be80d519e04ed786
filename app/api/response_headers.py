"""Headers that every response has unless it sets its own, and HEAD, which is answered without a body.

The Content-Security-Policy lets a page load only files of this server, and no inline script or style.
Figures of problems are images in `data:` addresses.
"""

import math
from collections.abc import Iterable

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.limits import RateLimitStatus
from app.log import request_id

POLICY = (
    "default-src 'self'; img-src 'self' data:; font-src 'self'; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)

# Of the worker that formats code. A worker has the policy of its own script, so that no page may compile WebAssembly.
COMPILER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"


def with_styles(nonce: str) -> str:
    """Return the policy that also allows styles with this nonce, which CodeMirror adds."""
    return f"{POLICY}; style-src 'self' 'nonce-{nonce}'"


def with_form_to(origin: str) -> str:
    """Return the policy of a page whose forms go to another site only."""
    return POLICY.replace("form-action 'self'", f"form-action {origin}")


def in_frames_of(origins: Iterable[str]) -> str:
    """Return the policy of a page without scripts and forms that these sites may show in a frame."""
    files = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'"
    return f"{files}; base-uri 'none'; form-action 'none'; frame-ancestors {' '.join(origins)}"


DEFAULTS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def add_missing(headers: MutableHeaders, scope: Scope) -> None:
    """Set the default headers. An API answer is for one client: without its own rule, no cache may keep it."""
    status: RateLimitStatus | None = scope.get("state", {}).get("rate_limit")
    if status is not None:
        headers.update(_describe_rate_limit(status))
    if scope["path"].startswith("/api/"):
        headers.setdefault("Cache-Control", "no-store")
    if current := request_id.get():
        headers.setdefault("X-Request-ID", current)
    for name, value in DEFAULTS.items():
        headers.setdefault(name, value)


def _describe_rate_limit(status: RateLimitStatus) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": str(status.limit),
        "X-RateLimit-Remaining": str(status.remaining),
        "X-RateLimit-Reset": str(math.ceil(status.reset_at)),
    }


class ResponseHeaders:
    """Pure ASGI, so streams pass through unbuffered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_missing(MutableHeaders(scope=message), scope)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class Head:
    """Answers HEAD on every path that takes GET. Pure ASGI.

    An answer without a length is a stream, and is cancelled after its headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "HEAD":
            await self._answer({**scope, "method": "GET"}, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        with anyio.CancelScope() as rest:

            async def send_head(message: Message) -> None:
                if message["type"] == "http.response.body":
                    return
                await send(message)
                if "content-length" not in Headers(raw=message["headers"]):
                    rest.cancel()

            await self._app(scope, receive, send_head)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
