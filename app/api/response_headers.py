"""Headers that every response has unless it sets its own.

The Content-Security-Policy lets a page load only files of this server, and no inline script or style.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.telemetry.context import request_id

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


def with_styles(nonce: str) -> str:
    """Return the policy that also allows styles with this nonce, which CodeMirror adds."""
    return f"{POLICY}; style-src 'self' 'nonce-{nonce}'"


DEFAULTS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def add_missing(headers: MutableHeaders, path: str) -> None:
    """Set the default headers. An API answer is for one client: without its own rule, no cache may keep it."""
    if path.startswith("/api/"):
        headers.setdefault("Cache-Control", "no-store")
    if current := request_id.get():
        headers.setdefault("X-Request-ID", current)
    for name, value in DEFAULTS.items():
        headers.setdefault(name, value)


class ResponseHeaders:
    """Pure ASGI, so streams pass through unbuffered."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                add_missing(MutableHeaders(scope=message), scope["path"])
            await send(message)

        await self._app(scope, receive, send_with_headers)
