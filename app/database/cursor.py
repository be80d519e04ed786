"""Where a page of a list ends, as a word that callers hand back and do not look into."""

import base64
import json
from datetime import datetime
from uuid import UUID

from app.errors import Invalid

MAX_BIGINT = 2**63 - 1


class CursorInvalid(Invalid):
    """A cursor that the list did not give."""

    def __init__(self, cursor: str) -> None:
        super().__init__(
            "cursor",
            f"the cursor {cursor[:40]!r} is none of this list; take `next` of the page before, or leave it out",
        )


def write_cursor(at: datetime, key: UUID | int) -> str:
    """Of a list by time, newest first, and by `key` among equal times."""
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), str(key)]).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> tuple[datetime, str]:
    """The time and the key. Raises CursorInvalid."""
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
    """`most`: what the column of the key can hold. Raises CursorInvalid."""
    at, key = read_cursor(cursor)
    if not (key.isascii() and key.isdigit() and len(key) < 20 and int(key) <= most):
        raise CursorInvalid(cursor)
    return at, int(key)
