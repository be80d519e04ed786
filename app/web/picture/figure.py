"""Which picture fits: by what differs and by the number of axes."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from app.web.picture.heat_map import Panel, draw_heat_maps
from app.web.picture.leaf import Values, read_values
from app.web.picture.line_plot import draw_line_plot
from app.web.picture.number_line import draw_number_line
from app.web.picture.numbers import read_number, share_text
from app.web.picture.shape import draw_shape

MOST_FIGURES = 3
SHAPE, DTYPE = "shape differs", "dtype differs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """`kind` is one of number-line, line-plot, heat-map, shape; `path` names the leaf, empty for the whole output."""

    kind: str
    path: str
    panels: tuple[Panel, ...]
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much of the tolerance a leaf used. `percent` is that of the bar, at most 100."""

    path: str
    is_right: bool
    percent: float
    words: str


def draw_figures(report: Mapping[str, Any]) -> list[Figure]:
    """Of the leaves that differ, first those of which the message speaks; of one number also where it is right."""
    leaves = report.get("leaves", [])
    wrong = [leaf for leaf in leaves if leaf["category"] is not None]
    chosen = sorted(wrong, key=lambda leaf: leaf["category"] != report.get("category"))
    if not wrong:
        chosen = [leaf for leaf in leaves if leaf["size"] == 1 and leaf["tolerance_used"]][:1]
    drawn = (_draw(report, leaf) for leaf in chosen)
    return list(islice((figure for figure in drawn if figure is not None), MOST_FIGURES))


def list_shares(report: Mapping[str, Any]) -> list[Share]:
    """Of each leaf of an output with several."""
    leaves = report.get("leaves", [])
    return [_share(leaf) for leaf in leaves] if len(leaves) > 1 else []


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


def _shapes(leaf: Mapping[str, Any]) -> Figure:
    yours, expected = tuple(leaf["shape"]), tuple(leaf["expected_shape"])
    panels = (
        Panel(f"Yours: {leaf['dtype']} {yours}", draw_shape(yours, expected, "Your")),
        Panel(f"Expected: {leaf['expected_dtype']} {expected}", draw_shape(expected, yours, "Expected")),
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
    used = read_number(leaf["tolerance_used"])
    words = [] if used is None else [("At worst yours " if values else "Yours ") + share_text(used)]
    if values is not None and values.is_part:
        words.append(f"Drawn is {values.part_text} of an array of shape {tuple(leaf['shape'])}")
    return "".join(f"{sentence}. " for sentence in words).strip()


def _share(leaf: Mapping[str, Any]) -> Share:
    used = read_number(leaf["tolerance_used"])
    is_right = leaf["category"] is None
    words = (leaf["category"] or "right") if used is None else share_text(used)
    known = (0.0 if is_right else 1.0) if used is None or math.isnan(used) else min(used, 1.0)
    return Share(path=leaf["path"], is_right=is_right, percent=round(known * 100, 1), words=words)
