"""Heat maps of a matrix or slice: expected, yours, and the difference in units of the tolerance."""

import math
from dataclasses import dataclass

from markupsafe import Markup

from app.web.picture.leaf_values import Values, finite, pair_text, short
from app.web.picture.svg import drawing, element

WORDY = 5  # the most columns with numbers in the cells
LEVELS = 4


@dataclass(frozen=True, slots=True)
class Panel:
    name: str
    picture: Markup


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of one panel in C order: colour classes, labels and tooltips."""

    kinds: list[str]
    words: list[str]
    titles: list[Markup]


def draw_heat_maps(values: Values) -> tuple[Panel, ...]:
    largest = max((abs(number) for number in finite([*values.expected, *values.answer])), default=0.0)
    titles = [element("title", _title(values, at)) for at in range(len(values.expected))]
    expected, yours = (_values(numbers, largest, titles) for numbers in (values.expected, values.answer))
    panels = {"Expected": expected, "Yours": yours, "Difference": _differences(values, titles)}
    return tuple(Panel(name, _draw(values, name, cells)) for name, cells in panels.items())


def _values(numbers: list[float], largest: float, titles: list[Markup]) -> _Cells:
    return _Cells([_level(number, largest) for number in numbers], [short(number, 3) for number in numbers], titles)


def _differences(values: Values, titles: list[Markup]) -> _Cells:
    together = zip(values.answer, values.expected, values.allowed, strict=True)
    kinds, words = [], []
    for answer, expected, allowed in together:
        kinds.append(_distance(answer, expected, allowed))
        words.append("" if _is_same(answer, expected) else short(answer - expected, 2))
    return _Cells(kinds, words, titles)


def _draw(values: Values, name: str, cells: _Cells) -> Markup:
    rows, columns = values.shape
    width, height = (58.0, 26.0) if columns <= WORDY else (18.0, 18.0)
    drawn = []
    for at, kind in enumerate(cells.kinds):
        x, y = at % columns * width + 1, at // columns * height + 1
        drawn.append(element("rect", cells.titles[at], class_=f"cell {kind}", x=x, y=y, width=width, height=height))
        if columns <= WORDY and cells.words[at]:
            middle = {"x": x + width / 2, "y": y + height / 2 + 4, "text_anchor": "middle"}
            drawn.append(element("text", cells.words[at], class_="in-cell", **middle))
    drawn.append(_frame(values, width, height))
    size = f"{rows} rows, {columns} columns"
    label = f"{name}: {size}{values.worst_text}"
    return drawing(columns * width + 2, rows * height + 2, label, *drawn)


def _frame(values: Values, width: float, height: float) -> Markup:
    if values.worst is None:
        return Markup("")
    row, column = values.worst
    return element("rect", class_="frame", x=column * width + 1, y=row * height + 1, width=width, height=height)


def _level(number: float, largest: float) -> str:
    if not math.isfinite(number):
        return "none"
    level = math.ceil(abs(number) / largest * LEVELS) if largest else 0
    return f"{'below' if number < 0 else 'above'}-{level}" if level else "zero"


def _distance(answer: float, expected: float, allowed: float) -> str:
    """Return the colour class, by powers of ten of the tolerance."""
    if _is_same(answer, expected):
        return "right"
    difference = abs(answer - expected)
    share = difference / allowed if allowed else math.inf
    if not math.isfinite(share):
        return f"off-{LEVELS}"
    return "right" if share <= 1 else f"off-{min(max(math.ceil(math.log10(share)), 1), LEVELS)}"


def _is_same(answer: float, expected: float) -> bool:
    return answer == expected or (math.isnan(answer) and math.isnan(expected))


def _title(values: Values, at: int) -> str:
    return f"{values.index_text(at)}: {pair_text(values.answer[at], values.expected[at])}"
