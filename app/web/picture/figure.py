"""The choice of pictures, by the kind of difference and the number of axes."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from markupsafe import Markup

from app.judging.checker import DTYPE, SHAPE
from app.web.picture.heat_map import Panel, draw_heat_maps
from app.web.picture.leaf_values import (
    Curve,
    Values,
    find_curve,
    list_of,
    read_number,
    read_values,
    severity_of,
    share_text,
    short_share,
    wrong_leaves,
)
from app.web.picture.line_plot import draw_line_plot, draw_number_line
from app.web.picture.svg import drawing, element

CELL, MOST = 13.0, 9
ROOM = 34.0
MOST_FIGURES = 3


def draw_shape(shape: tuple[int, ...], other: tuple[int, ...], name: str) -> Markup:
    """Draw a shape as a block of cells. Two axes are drawn; the others become a factor.

    Sizes that differ from those of `other` are marked.
    """
    rows, columns = (1, 1, *shape)[-2:]
    drawn_rows, drawn_columns = min(rows, MOST), min(columns, MOST)
    lead = "×".join(map(str, shape[:-2])) + " ×" if len(shape) > 2 else ""
    left = ROOM + 7.5 * len(lead)
    room = 0 if shape else 90  # for the label beside it
    width, height = left + drawn_columns * CELL + 4 + room, 20 + drawn_rows * CELL + 4
    cells = [
        _cell(left + column * CELL, 20 + row * CELL, (row, column), (rows, columns))
        for row in range(drawn_rows)
        for column in range(drawn_columns)
    ]
    label = f"{name} {shape}"
    return drawing(width, height, label, *cells, *_sizes(shape, other, (left, height)), _lead(lead, height))


def _cell(x: float, y: float, place: tuple[int, int], size: tuple[int, int]) -> Markup:
    """Draw a cell. On a long axis, the last but one stands for the omitted cells."""
    is_gap = any(many > MOST and here == MOST - 2 for here, many in zip(place, size, strict=True))
    return element("rect", class_="block gap" if is_gap else "block", x=x + 1, y=y + 1, width=CELL - 2, height=CELL - 2)


def _sizes(shape: tuple[int, ...], other: tuple[int, ...], corner: tuple[float, float]) -> list[Markup]:
    """Draw the number of columns above and the number of rows on the left."""
    left, height = corner
    words = []
    if not shape:
        words.append(element("text", "one number", class_="size other", x=left + CELL + 6, y=height - 7))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture. `kind` is number-line, line-plot, heat-map or shape; `path` is empty for the whole output."""

    kind: str
    path: str
    panels: tuple[Panel, ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The share of the tolerance that a leaf used, in a sentence and in short. `percent` is the bar's length.

    `leaf` is the leaf's report, or that of a list's worst number. `outside` of its `size` elements are wrong.
    """

    path: str
    is_right: bool
    percent: float
    words: str
    short: str
    leaf: Mapping[str, Any]
    outside: int
    size: int


def draw_figures(report: Mapping[str, Any]) -> list[Figure]:
    """Draw the wrong leaves, the worst first. A single number is also drawn if it is correct."""
    chosen = wrong_leaves(report)
    if not chosen:
        chosen = [leaf for leaf in report.get("leaves", []) if leaf["size"] == 1 and leaf["tolerance_used"]][:1]
    return list(islice(_draw_each(report, chosen), MOST_FIGURES))


def list_shares(report: Mapping[str, Any]) -> list[Share]:
    """Return the share of each leaf of an output with several. A list's numbers count as one leaf, by the worst."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for leaf in report.get("leaves", []):
        path = list_of(leaf["path"]) if leaf["size"] == 1 else None
        groups.setdefault(leaf["path"] if path is None else path, []).append(leaf)
    is_several = len(groups) > 1 or report.get("leaves_left_out")
    return [_share(path, leaves) for path, leaves in groups.items()] if is_several else []


def most_used(report: Mapping[str, Any]) -> str:
    """Return the largest share of the tolerance in words, or an empty text if it is unknown."""
    used = [_used(leaf) for leaf in report.get("leaves", ())]
    known = [share for share in used if share is not None]
    return share_text(max(known, key=lambda share: math.inf if math.isnan(share) else share)) if known else ""


def _draw_each(report: Mapping[str, Any], leaves: Sequence[Mapping[str, Any]]) -> Iterator[Figure]:
    """Yield the figures. A list of numbers is one curve."""
    drawn: set[str] = set()
    for leaf in leaves:
        if list_of(leaf["path"]) in drawn:
            continue
        curve = None if leaf["category"] in (SHAPE, DTYPE) else find_curve(report, leaf)
        if curve is not None:
            drawn.add(curve.path)
        figure = _curve(curve) if curve is not None else _draw(report, leaf)
        if figure is not None:
            yield figure


def _curve(curve: Curve) -> Figure:
    caption = "" if curve.used is None else _at_worst(curve.used)
    return Figure(kind="line-plot", path=curve.path, panels=(Panel("", draw_line_plot(curve.values)),), caption=caption)


def _draw(report: Mapping[str, Any], leaf: Mapping[str, Any]) -> Figure | None:
    if leaf["category"] in (SHAPE, DTYPE):
        return _shapes(leaf)
    values = read_values(report, leaf)
    if values is None:
        return _number_line(leaf) if leaf["size"] == 1 else None
    if len(values.expected) == 1:
        return _number_line(leaf)
    caption = _caption(leaf, values)
    if len(values.shape) == 1:
        panels = (Panel("", draw_line_plot(values)),)
        return Figure(kind="line-plot", path=leaf["path"], panels=panels, caption=caption)
    return Figure(kind="heat-map", path=leaf["path"], panels=draw_heat_maps(values), caption=caption)


def _shapes(leaf: Mapping[str, Any]) -> Figure | None:
    """Draw two shapes, unless two single numbers differ only in dtype."""
    yours, expected = tuple(leaf["shape"]), tuple(leaf["expected_shape"])
    if not yours and not expected:
        return None
    panels = (
        Panel(f"{'Yours'}: {leaf['dtype']} {yours}", draw_shape(yours, expected, "Your shape")),
        Panel(f"{'Expected'}: {leaf['expected_dtype']} {expected}", draw_shape(expected, yours, "Expected shape")),
    )
    return Figure(kind="shape", path=leaf["path"], panels=panels, caption="")


def _number_line(leaf: Mapping[str, Any]) -> Figure | None:
    answer, expected = read_number(leaf["worst_answer"]), read_number(leaf["worst_expected"])
    allowed = read_number(leaf["worst_allowed"])
    if answer is None or expected is None or not math.isfinite(answer) or not math.isfinite(expected):
        return None
    picture = draw_number_line(answer, expected, allowed or 0.0)
    return Figure(kind="number-line", path=leaf["path"], panels=(Panel("", picture),), caption=_caption(leaf, None))


def _caption(leaf: Mapping[str, Any], values: Values | None) -> str:
    # The tolerance says nothing about elements that are nan or inf.
    used = None if leaf.get("category") == "nan or inf differs" else read_number(leaf["tolerance_used"])
    words = [] if used is None else [_at_worst(used) if values else f"Your value {share_text(used)}."]
    if values is not None and values.is_part:
        words.append(f"The picture shows {values.part_text} of an array of shape {tuple(leaf['shape'])}.")
    return " ".join(words)


def _at_worst(used: float) -> str:
    return f"The worst element {share_text(used)}."


def _used(leaf: Mapping[str, Any]) -> float | None:
    """Return the share of the tolerance, or None if it is unknown or does not explain why the leaf is wrong.

    NaN and infinity have no share, so the rest of a wrong leaf may be within the tolerance.
    """
    used = read_number(leaf.get("tolerance_used"))
    is_within = used is not None and used <= 1
    return None if is_within and leaf.get("category") else used


def _share(path: str, leaves: Sequence[Mapping[str, Any]]) -> Share:
    leaf = max(leaves, key=severity_of)
    used = _used(leaf)
    is_right = leaf["category"] is None
    known = (0.0 if is_right else 1.0) if used is None or math.isnan(used) else min(used, 1.0)
    return Share(
        path=path,
        is_right=is_right,
        percent=round(known * 100, 1),
        words=(leaf["category"] or "right") if used is None else share_text(used),
        short="–" if used is None else short_share(used),
        leaf=leaf,
        outside=sum(one["outside"] or 0 for one in leaves),
        size=sum(one["size"] for one in leaves),
    )
