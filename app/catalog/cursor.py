"""Where a page of problems ends, as a word that callers hand back and do not look into."""

import base64
import json
from typing import Any

from app.cursor import CursorInvalid

# In the order of tracks: no track, its place, track, position, slug. Of what a search found: rank, slug.
Place = tuple[bool, int, str, int, str] | tuple[float, str]
# PostgreSQL refuses to read a number as a REAL that is nearer to zero than any.
LEAST_RANK = 1e-37


def write_cursor(place: tuple[Any, ...]) -> str:
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def read_cursor(cursor: str, length: int) -> Place:
    """`length`: how many parts the place has. Raises CursorInvalid."""
    try:
        place = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        place = None
    match place:
        case [bool(no_track), int(place_of_track), str(track), int(position), str(slug)] if (
            length == 5 and _is_place(place_of_track) and _is_place(position)
        ):
            return no_track, place_of_track, track, position, slug
        case [float(rank), str(slug)] if length == 2 and (rank == 0 or LEAST_RANK <= abs(rank) <= 1):
            return rank, slug
    raise CursorInvalid(cursor)


def _is_place(number: int) -> bool:
    """Python takes true and false for integers, PostgreSQL does not."""
    return not isinstance(number, bool) and abs(number) < 2**31
