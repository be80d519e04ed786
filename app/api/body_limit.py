"""Bodies larger than anything the API takes are refused before they are held in memory or parsed."""

from http import HTTPStatus

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.api.error_answer import Answer
from app.api.error_code import Code
from app.api.fault import fault_of
from app.catalog.archive import MAX_UPLOAD_BYTES

# 256 KiB of source in JSON, with room for what escapes add to it.
MAX_BODY_BYTES = 1024 * 1024
# A form holds a package's files as they are, with line ends of two bytes.
MAX_FORM_BYTES = 2 * MAX_UPLOAD_BYTES


class BodyLimit:
    """Pure ASGI: nothing is buffered, so streams pass through."""

    def __init__(self, app: ASGIApp, answer: Answer) -> None:
        self._app = app
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif (declared := _declared_bytes(scope)) > (most := _most_bytes(scope)):
            fault = fault_of(Code.BODY_TOO_LARGE, _sentence(declared, most))
            answer = await run_in_threadpool(self._answer, Request(scope), fault)
            await answer(scope, receive, send)
        else:
            await self._app(scope, _counted(receive, most), send)


def _most_bytes(scope: Scope) -> int:
    """More where authors send packages; who is none is refused there before a body is read."""
    if scope["method"] == "PUT" and scope["path"].startswith("/api/v1/problems/"):
        return MAX_UPLOAD_BYTES
    if scope["method"] == "POST" and scope["path"].startswith("/author/"):
        return MAX_FORM_BYTES
    return MAX_BODY_BYTES


def _declared_bytes(scope: Scope) -> int:
    text = Headers(scope=scope).get("content-length", "0")
    return int(text) if text.isdecimal() else 0


def _counted(receive: Receive, most: int) -> Receive:
    """Raises HTTPException 413 once a body sent in chunks has grown too large."""
    received = 0

    async def counted() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > most:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _sentence(received, most))
        return message

    return counted


def _sentence(size: int, most: int) -> str:
    return f"the body has {size} bytes or more; at most {most} are taken here, so send something shorter"
