"""Where a page of problems ends, as a word that callers hand back and do not look into."""

import base64
import json

from app.errors import Invalid

Place = tuple[bool, str, int, str]


def write_cursor(place: Place) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str) -> Place:
    """Raises Invalid."""
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        place = None
    match place:
        case [bool(no_track), str(track), int(position), str(slug)] if abs(position) < 2**31:
            return no_track, track, position, slug
    raise Invalid(
        "cursor", f"the cursor {cursor[:40]!r} is none of ours; take `next` of the page before, or leave it out"
    )
