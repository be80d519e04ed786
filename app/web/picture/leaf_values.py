"""The values of a report: leaves with their expected values for pictures, and texts as Python and NumPy write them.

A report holds numbers as nested lists, and NaN and inf as texts. A list of numbers, such as training losses, is shown
as one vector, although each number is a leaf.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import Any

from app.judging.checker import severity

BY_ELEMENT = ("closeness", "exact")  # these compare elements at the same index


def flatten(values: Any) -> list[Any]:
    """Flatten nested lists in C order."""
    return [item for part in values for item in flatten(part)] if isinstance(values, list) else [values]


def read_number(value: Any) -> float | None:
    """Return a real number, or None for text and complex numbers."""
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def read_numbers(values: Any) -> list[float] | None:
    numbers = [read_number(value) for value in flatten(values)]
    return None if any(number is None for number in numbers) else [number for number in numbers if number is not None]


def finite(numbers: Sequence[float]) -> list[float]:
    return [number for number in numbers if math.isfinite(number)]


def short(number: float, digits: int = 4) -> str:
    """Format a number for people."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("∞" if number > 0 else "−∞")
    return f"{number:.{digits}g}".replace("-", "−")


def apart(one: float, other: float, least: int = 4) -> tuple[str, str]:
    """Format both numbers with enough digits to tell them apart."""
    for digits in range(least, 17):
        pair = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if pair[0] != pair[1] or one == other:
            break
    return pair[0].replace("-", "−"), pair[1].replace("-", "−")


def pair_text(answer: float, expected: float) -> str:
    yours, right = apart(answer, expected) if math.isfinite(answer - expected) else (short(answer), short(expected))
    return f"yours {yours}, expected {right}"


def share_text(used: float) -> str:
    """Return how much of the tolerance was used, as words that follow "Your value"."""
    if math.isnan(used) or math.isinf(used):
        return "differs; it must be equal"
    if not used:
        return "matches"
    if used <= 1:
        percent = used * 100
        return f"uses {'less than 1' if 0 < percent < 1 else f'{percent:.0f}'} % of the tolerance"
    return (
        f"is off by {used:.3g} times the tolerance"
        if used < 1000
        else f"is off by {_thousands(used)} times the tolerance"
    )


def short_share(used: float) -> str:
    """Format a share for a table: percent of the tolerance, or a multiple of it."""
    if math.isnan(used) or math.isinf(used):
        return "∞ ×"
    if used <= 1:
        percent = used * 100
        return "< 1 %" if 0 < percent < 1 else f"{percent:.0f} %"
    return f"{used:.3g} ×" if used < 1000 else f"{_thousands(used)} ×"


def _thousands(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.2g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """A part of a leaf, as numbers in C order. `start` is its index in the leaf; `worst` is an index into the part."""

    shape: tuple[int, ...]
    expected: list[float]
    answer: list[float]
    allowed: list[float]
    start: tuple[int, ...]
    worst: tuple[int, ...] | None
    is_part: bool

    def index_text(self, position: int) -> str:
        """Return an element's index in the whole leaf, as NumPy writes it."""
        index = []
        for size, begin in zip(reversed(self.shape), reversed(self.start[-len(self.shape) :] or (0,)), strict=True):
            position, here = divmod(position, size)
            index.append(here + begin)
        lead = self.start[: len(self.start) - len(self.shape)]
        return "[" + ", ".join(map(str, (*lead, *reversed(index)))) + "]"

    @property
    def worst_text(self) -> str:
        """The place of the worst element, for screen readers, or an empty text."""
        if (at := self.worst_position) is None:
            return ""
        where = f"worst at {self.index_text(at)}"
        return f"; {where}: {pair_text(self.answer[at], self.expected[at])}"

    @property
    def part_text(self) -> str:
        """This part of the leaf as Python slices."""
        lead = len(self.start) - len(self.shape)
        slices = [f"{begin}:{begin + size}" for begin, size in zip(self.start[lead:], self.shape, strict=True)]
        return "[" + ", ".join([*map(str, self.start[:lead]), *slices]) + "]"

    @property
    def worst_position(self) -> int | None:
        if self.worst is None:
            return None
        position = 0
        for size, here in zip(self.shape, self.worst, strict=True):
            position = position * size + here
        return position


def severity_of(leaf: Mapping[str, Any]) -> tuple[int, float]:
    """Return how bad a leaf of a report is: greater is worse."""
    return severity(leaf["category"], read_number(leaf["tolerance_used"]))


def read_values(report: Mapping[str, Any], leaf: Mapping[str, Any]) -> Values | None:
    """Read a leaf's values, or None if they are missing, not numbers, or not compared element by element."""
    shape = tuple(leaf["expected_shape"])
    if leaf["checker"] not in BY_ELEMENT or tuple(leaf["shape"]) != shape or not prod(shape):
        return None
    held = _whole(report, leaf["path"]) or leaf["window"]
    if not held:
        return None
    expected, answer = read_numbers(held["expected"]), read_numbers(held["answer"])
    if expected is None or answer is None:
        return None
    start = tuple(held.get("start", [0] * len(shape)))
    part = tuple(held.get("shape", shape))
    worst = _within(leaf["worst_index"], start, part)
    allowed = _allowed(expected, leaf)
    values = Values(
        shape=part, expected=expected, answer=answer, allowed=allowed, start=start, worst=worst, is_part=part != shape
    )
    return _last_two(values)


def _whole(report: Mapping[str, Any], path: str) -> dict[str, Any] | None:
    held = {}
    for name in ("expected", "answer"):
        leaves = (report.get(name) or {}).get("leaves", [])
        found = next((leaf for leaf in leaves if leaf["path"] == path and "values" in leaf), None)
        if found is None:
            return None
        held[name] = found["values"]
    return held


def _allowed(expected: list[float], leaf: Mapping[str, Any]) -> list[float]:
    rtol, atol = leaf["rtol"] or 0.0, leaf["atol"] or 0.0
    return [atol + rtol * abs(number) for number in expected]


def _within(index: list[int] | None, start: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    if index is None or len(index) != len(shape):
        return None
    here = tuple(place - begin for place, begin in zip(index, start, strict=True))
    return here if all(0 <= place < size for place, size in zip(here, shape, strict=True)) else None


def _last_two(values: Values) -> Values:
    """Reduce more than two axes to the slice with the worst element."""
    leading = len(values.shape) - 2
    if leading <= 0:
        return values
    chosen = (values.worst or (0,) * len(values.shape))[:leading]
    size = values.shape[-2] * values.shape[-1]
    position = 0
    for length, here in zip(values.shape[:leading], chosen, strict=True):
        position = position * length + here
    part = slice(position * size, (position + 1) * size)
    lead = tuple(begin + here for begin, here in zip(values.start, chosen, strict=False))
    return Values(
        shape=values.shape[-2:],
        expected=values.expected[part],
        answer=values.answer[part],
        allowed=values.allowed[part],
        start=lead + values.start[leading:],
        worst=values.worst[leading:] if values.worst else None,
        is_part=True,
    )


_ITEM = re.compile(r"(.+)/(\d{1,4})|(\d{1,4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A list of numbers. `path` is the list's; `used` is the largest share of the tolerance."""

    path: str
    values: Values
    used: float | None


def find_curve(report: Mapping[str, Any], leaf: Mapping[str, Any]) -> Curve | None:
    """Find the list of a leaf, or None if the leaf is not in a list of numbers."""
    if (path := list_of(leaf["path"])) is None:
        return None
    expected, answer = (_numbers(report.get(name), path) for name in ("expected", "answer"))
    told = {_place(one["path"]): one for one in report["leaves"] if list_of(one["path"]) == path}
    if not expected or not answer or len(expected) != len(answer) or len(expected) < 2:
        return None
    if any(one["checker"] not in BY_ELEMENT or one["shape"] or one["expected_shape"] for one in told.values()):
        return None
    used = {place: number for place, one in told.items() if (number := read_number(one["tolerance_used"])) is not None}
    worst = max(told, key=lambda place: severity_of(told[place]))
    values = Values(
        shape=(len(expected),),
        expected=expected,
        answer=answer,
        allowed=[(leaf["atol"] or 0.0) + (leaf["rtol"] or 0.0) * abs(number) for number in expected],
        start=(0,),
        worst=None if worst >= len(expected) else (worst,),
        is_part=False,
    )
    return Curve(path=path, values=values, used=max(used.values(), default=None))


def list_of(path: str) -> str | None:
    item = _ITEM.fullmatch(path)
    return (item[1] or "") if item else None


def _place(path: str) -> int:
    return int(path.rpartition("/")[2])


def _numbers(preview: Mapping[str, Any] | None, path: str) -> list[float] | None:
    """Return all numbers of a list in order, or None if any is missing or not a number."""
    leaves = [leaf for leaf in (preview or {}).get("leaves", []) if list_of(leaf["path"]) == path]
    numbers = [None if leaf["shape"] else read_number(leaf.get("values")) for leaf in leaves]
    if [_place(leaf["path"]) for leaf in leaves] != list(range(len(leaves))) or None in numbers:
        return None
    return [number for number in numbers if number is not None]


READABLE = 9  # characters of a number


def literal(value: Any, dtype: str, indent: int = 1) -> str:
    """Format nested lists with one row on each line, and texts in quotes. NaN and inf, which are strings, stay bare."""
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return "[" + (",\n" + " " * indent).join(literal(item, dtype, indent + 1) for item in value) + "]"
    if isinstance(value, list):
        return "[" + ", ".join(str(item) for item in value) + "]"
    return repr(value) if dtype == "str" else str(value)


def wrong_leaves(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the wrong leaves of a report, the worst first. The report's message is about the worst."""
    wrong = [leaf for leaf in report.get("leaves", []) if leaf["category"] is not None]
    return sorted(wrong, key=severity_of, reverse=True)


def fold_lists(leaves: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the leaves of a preview, with the numbers of one list joined into one leaf."""
    folded: list[Mapping[str, Any]] = []
    for path, group in groupby(leaves, key=_list_or_itself):
        items = list(group)
        if len(items) == 1 or len({item["dtype"] for item in items}) > 1:
            folded += items
        else:
            values = [item["values"] for item in items]
            folded.append({"path": path, "dtype": f"{len(items)} × {items[0]['dtype']}", "shape": [], "values": values})
    return folded


def _list_or_itself(leaf: Mapping[str, Any]) -> str:
    is_number = not leaf["shape"] and isinstance(leaf.get("values"), bool | int | float)
    path = list_of(leaf["path"]) if is_number else None
    return str(leaf["path"]) if path is None else path


def worst_pair(leaf: Mapping[str, Any]) -> tuple[str, str]:
    """Return the answer and the expected value at the worst place, with as few digits as show the difference."""
    answer, expected = leaf["worst_answer"], leaf["worst_expected"]
    both = str(answer), str(expected)
    if not isinstance(answer, float) or not isinstance(expected, float) or max(map(len, both)) <= READABLE:
        return both
    return apart(answer, expected, least=6)


def arguments_preview(previews: Mapping[str, Mapping[str, Any]], parameters: Sequence[str]) -> dict[str, Any]:
    """Join the previews of all arguments. Each leaf's path starts with its parameter's name.

    The order is that of `parameters`, which PostgreSQL's JSONB does not keep.
    """
    given = [name for name in parameters if name in previews]
    leaves = [leaf for name in given for leaf in _leaves_of_argument(name, previews[name])]
    return {"structure": "", "leaves": leaves, "left_out": sum(previews[name]["left_out"] for name in given)}


def _leaves_of_argument(name: str, preview: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not preview["leaves"]:
        return [{"path": name, "dtype": "", "shape": [], "values": preview["structure"]}]
    return [{**leaf, "path": f"{name}/{leaf['path']}" if leaf["path"] else name} for leaf in preview["leaves"]]


def shape_text(shape: list[int]) -> str:
    """Return a tuple such as (4,)."""
    return str(tuple(shape))
