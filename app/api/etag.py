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
from typing import Annotated, Any

from fastapi import Header
from pydantic import TypeAdapter

from app.errors import Outdated

IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        description="the `ETag` from GET: if the object has changed since, the answer is a 412 and nothing changes",
    ),
]
_WHOLE = re.compile(r'-[0-9a-f]{32}"')


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
