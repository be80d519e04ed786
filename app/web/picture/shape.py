"""The shape of an array as a block of cells: up to two axes are drawn, the others stand before it as a factor."""

from markupsafe import Markup

from app.web.messages import gettext as _
from app.web.picture.svg import drawing, element

CELL, MOST = 13.0, 9
ROOM = 34.0


def draw_shape(shape: tuple[int, ...], other: tuple[int, ...], name: str) -> Markup:
    """An axis whose size is another in `other` has its number marked."""
    rows, columns = (1, 1, *shape)[-2:]
    drawn_rows, drawn_columns = min(rows, MOST), min(columns, MOST)
    lead = "×".join(map(str, shape[:-2])) + " ×" if len(shape) > 2 else ""
    left = ROOM + 7.5 * len(lead)
    room = 0 if shape else 90  # for words beside it
    width, height = left + drawn_columns * CELL + 4 + room, 20 + drawn_rows * CELL + 4
    cells = [
        _cell(left + column * CELL, 20 + row * CELL, (row, column), (rows, columns))
        for row in range(drawn_rows)
        for column in range(drawn_columns)
    ]
    label = f"{name} {shape}"
    return drawing(width, height, label, *cells, *_sizes(shape, other, (left, height)), _lead(lead, height))


def _cell(x: float, y: float, place: tuple[int, int], size: tuple[int, int]) -> Markup:
    """The last but one of an axis that is too long to draw stands for those left out."""
    is_gap = any(many > MOST and here == MOST - 2 for here, many in zip(place, size, strict=True))
    return element("rect", class_="block gap" if is_gap else "block", x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2)


def _sizes(shape: tuple[int, ...], other: tuple[int, ...], corner: tuple[float, float]) -> list[Markup]:
    """The number of columns above, of rows on the left."""
    left, height = corner
    words = []
    if not shape:
        words.append(element("text", _("one number"), class_="size other", x=left + CELL + 6, y=height - 7))
    if shape:
        words.append(element("text", str(shape[-1]), class_=_kind(shape, other, -1), x=left + 1, y=14.0))
    if len(shape) > 1:
        kind = _kind(shape, other, -2)
        words.append(element("text", str(shape[-2]), class_=kind, x=left - 5, y=height / 2 + 14, text_anchor="end"))
    return words


def _kind(shape: tuple[int, ...], other: tuple[int, ...], axis: int) -> str:
    is_there = len(other) >= -axis
    return "size" if is_there and other[axis] == shape[axis] and len(shape) == len(other) else "size other"


def _lead(words: str, height: float) -> Markup:
    return element("text", words, class_="size other", x=0.0, y=height / 2 + 14) if words else Markup("")
