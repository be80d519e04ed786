"""Answers HEAD on every path that takes GET: the same headers without a body."""

import anyio
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Head:
    """Pure ASGI. An answer without a length is a stream, and is cancelled after its headers."""

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
