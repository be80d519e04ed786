"""One leaf of an answer with its expected values, read from a report for the pictures.

A report holds numbers as nested lists, and NaN and inf as texts.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from app.judging.severity import severity

BY_ELEMENT = ("closeness", "fraction", "exact")  # these compare elements at the same index


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
