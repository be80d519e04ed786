"""Headers that every response carries unless it brings its own.

What a page may load: our own files only, and no script or style that stands in the page itself.
"""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.telemetry.context import request_id

POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"


def with_styles(nonce: str) -> str:
    """The same, and styles that our own scripts add under this nonce, as CodeMirror does."""
    return f"{POLICY}; style-src 'self' 'nonce-{nonce}'"


DEFAULTS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def add_missing(headers: MutableHeaders, path: str) -> None:
    """Answers of the API are for their asker only, so no cache may keep what has no rule of its own."""
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
