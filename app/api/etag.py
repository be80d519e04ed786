"""ETags and conditional requests.

Every JSON answer to a GET has an ETag. A client that sends it as If-None-Match gets a 304 while nothing has changed,
and one that sends it as If-Match changes a thing only while it is unchanged. Streams and answers with a Cache-Control
of their own pass as they are.

Some answers also hold what no editor writes, such as counts. Their endpoints set an ETag of the edited fields alone.
The client gets one ETag of two parts, `"EDITED-WHOLE"`: If-Match compares the first part, If-None-Match the whole.
"""

import re
from collections.abc import Set
from hashlib import sha256
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Header
from pydantic import TypeAdapter
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Outdated

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="the `ETag` from GET: if the object has changed since, the answer is a 412 and nothing changes",
    ),
]
# Only the client may keep the answer, and it asks each time whether it has changed.
KEEP = "private, no-cache"
_WHOLE = re.compile(r'-[0-9a-f]{32}"')
_OF_A_BODY = ("content-length", "content-type")


def write_tag(body: bytes) -> str:
    """Return a strong ETag: equal only for equal bytes."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def tag_of(view: Any, *, without: Set[str] = frozenset()) -> str:
    """Return the ETag of a GET that answers with this object, `without` some of its fields."""
    return write_tag(TypeAdapter(type(view)).dump_json(view, by_alias=True, exclude=set(without)))


def require_match(if_match: str | None, view: Any) -> None:
    """`view` is the answer of GET now, read in the transaction of the change with its row locked. Raises Outdated."""
    require_tag(if_match, tag_of(view))


def require_tag(if_match: str | None, tag: str) -> None:
    """`tag` is the ETag of GET now. Raises Outdated."""
    if if_match is not None and not has_match(if_match, tag):
        raise Outdated("The object does not match If-Match: it has changed since you read it. GET it again.")


def require_edited(if_match: str | None, tag: str) -> None:
    """`tag` is the ETag of the edited fields now, the first part of GET's. Raises Outdated."""
    require_tag(if_match and _WHOLE.sub('"', if_match), tag)


def has_match(header: str, tag: str) -> bool:
    """Whether the header names the tag. `*` matches every tag."""
    given = [each.strip() for each in header.split(",")]
    return "*" in given or tag in given


class EntityTag:
    """Pure ASGI: tags an answer that comes in one piece, and passes an answer in several pieces through."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"].startswith("/api/"):
            await self._app(scope, receive, _tagged(scope, send))
        else:
            await self._app(scope, receive, send)


def _tagged(scope: Scope, send: Send) -> Send:
    held: Message | None = None

    async def tagged(message: Message) -> None:
        nonlocal held
        if message["type"] == "http.response.start" and _is_fit(message):
            held = message
        elif held is None:
            await send(message)
        else:
            start, held = held, None
            for each in _answer(scope, start, message):
                await send(each)

    return tagged


def _is_fit(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return (
        start["status"] == HTTPStatus.OK
        and headers.get("content-type") == "application/json"
        and "cache-control" not in headers
    )


def _answer(scope: Scope, start: Message, body: Message) -> tuple[Message, Message]:
    if body.get("more_body", False):
        return start, body
    headers = MutableHeaders(raw=list(start["headers"]))
    tag = write_tag(body["body"])
    if edited := headers.get("etag"):
        tag = f"{edited[:-1]}-{tag[1:]}"
    headers.update({"ETag": tag, "Cache-Control": KEEP, "Vary": "Authorization"})
    if not has_match(Headers(scope=scope).get("if-none-match", "").replace("W/", ""), tag):
        return {**start, "headers": headers.raw}, body
    for name in _OF_A_BODY:
        del headers[name]
    return {**start, "status": HTTPStatus.NOT_MODIFIED, "headers": headers.raw}, {**body, "body": b""}
