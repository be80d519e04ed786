"""Conditional requests: what GET answered has an ETag, and a change may be asked for only while that is still so."""

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
        description="the `ETag` that GET gave: change it only while it is still what you have seen, or answer 412",
    ),
]


def write_tag(body: bytes) -> str:
    """Strong: equal only for equal bytes."""
    return f'"{sha256(body).hexdigest()[:32]}"'


def tag_of(view: Any, *, without: Set[str] = frozenset()) -> str:
    """The ETag of a GET that answers with this object now; or of the object `without` some of its fields."""
    return write_tag(TypeAdapter(type(view)).dump_json(view, by_alias=True, exclude=set(without)))


def require_match(if_match: str | None, view: Any) -> None:
    """`view`: what GET would answer now, in the transaction of the change, its row locked. Raises Outdated."""
    require_tag(if_match, tag_of(view))


def require_tag(if_match: str | None, tag: str) -> None:
    """`tag`: the ETag that GET would answer with now. Raises Outdated."""
    if if_match is not None and not has_match(if_match, tag):
        raise Outdated(
            "it has changed since you read it, or was never what If-Match says; GET it again and look at the changes"
        )


def has_match(header: str, tag: str) -> bool:
    """`*` matches whatever is there."""
    given = [each.strip() for each in header.split(",")]
    return "*" in given or tag in given
