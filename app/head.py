"""HEAD on every address that takes GET: the same head, and nothing after it."""

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Head:
    """Pure ASGI. A stream is broken off once its head is known; an answer in one piece ends as it would."""

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
                if message["type"] != "http.response.body":
                    await send(message)
                elif message.get("more_body", False):
                    rest.cancel()
                else:
                    await send({"type": "http.response.body", "body": b"", "more_body": False})

            await self._app(scope, receive, send_head)
        if rest.cancel_called:
            await send({"type": "http.response.body", "body": b"", "more_body": False})
