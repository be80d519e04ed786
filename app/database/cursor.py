"""Pages of lists, and cursors: opaque texts that mark the end of a page."""

import base64
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from pydantic import Field

from app.errors import Invalid

MAX_BIGINT = 2**63 - 1
# Items per page: the default and the most.
PAGE = 50
MAX_PAGE = 200

# As a limit: no limit.
ALL = sys.maxsize

Row = TypeVar("Row")

NextCursor = Annotated[str | None, Field(description="the `cursor` of the next page; null on the last page")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The part of a list that a page shows: at most `limit` items after `cursor`."""

    cursor: str | None = None
    limit: int = PAGE


class CursorInvalid(Invalid):
    """The cursor is not one of this list."""

    def __init__(self, cursor: str) -> None:
        super().__init__(
            "cursor",
            f"the cursor {cursor[:40]!r} is not valid for this list; use `next` of the previous page, or leave it out",
        )


def split_page(rows: Sequence[Row], limit: int) -> tuple[Sequence[Row], Row | None]:
    """Return the page's rows, and its last row if another page follows. Query for one row more than `limit`."""
    return rows[:limit], rows[limit - 1] if len(rows) > limit else None


def cut_list(items: Sequence[Row], key: Callable[[Row], object], wanted: Slice) -> tuple[Sequence[Row], str | None]:
    """Return a page of a list that was read as a whole, and the cursor of the next one or None.

    `key` identifies an item. Raises CursorInvalid, also if the last item of the page before is gone.
    """
    keys = [base64.urlsafe_b64encode(str(key(item)).encode()).decode().rstrip("=") for item in items]
    if wanted.cursor is not None and wanted.cursor not in keys:
        raise CursorInvalid(wanted.cursor)
    first = 0 if wanted.cursor is None else keys.index(wanted.cursor) + 1
    end = first + wanted.limit
    return items[first:end], keys[end - 1] if end < len(items) else None


def write_cursor(at: datetime, key: UUID | int) -> str:
    """Return a cursor for a list in order of time, then `key`."""
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), str(key)]).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """Return the time and the key. Raises CursorInvalid."""
    try:
        at, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is not None and isinstance(key, str):
            return moment, key
    except (ValueError, TypeError, RecursionError):
        pass
    raise CursorInvalid(cursor)


def read_uuid_cursor(cursor: str) -> tuple[datetime, UUID]:
    """Raises CursorInvalid."""
    at, key = read_cursor(cursor)
    try:
        return at, UUID(key)
    except ValueError:
        raise CursorInvalid(cursor) from None


def read_number_cursor(cursor: str, most: int = MAX_BIGINT) -> tuple[datetime, int]:
    """Return the time and the key. `most` is the largest key of the column. Raises CursorInvalid."""
    at, key = read_cursor(cursor)
    if not (key.isascii() and key.isdigit() and len(key) < 20 and int(key) <= most):
        raise CursorInvalid(cursor)
    return at, int(key)


def write_amount_cursor(order: str, amount: float, key: UUID) -> str:
    """Return a cursor for a list in order of an amount, then `key`. `order` names the amount."""
    return base64.urlsafe_b64encode(json.dumps([order, amount, str(key)]).encode()).decode().rstrip("=")


def read_amount_cursor(cursor: str, order: str) -> tuple[float, UUID]:
    """Return the amount and the key. Raises CursorInvalid."""
    try:
        named, amount, key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if named == order and isinstance(amount, int | float) and isinstance(key, str):
            return float(amount), UUID(key)
    except (ValueError, TypeError, RecursionError, OverflowError):
        pass
    raise CursorInvalid(cursor)
