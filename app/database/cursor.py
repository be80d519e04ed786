"""Cursors of lists: opaque texts that mark the end of a page."""

import base64
import json
from datetime import datetime
from uuid import UUID

from app.errors import Invalid

MAX_BIGINT = 2**63 - 1


class CursorInvalid(Invalid):
    """The cursor is not one of this list."""

    def __init__(self, cursor: str) -> None:
        super().__init__(
            "cursor",
            f"the cursor {cursor[:40]!r} is not valid for this list; use `next` of the previous page, or leave it out",
        )


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
