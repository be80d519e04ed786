"""`exact`: the same dtype and the same bits in every element.

−0.0 differs from 0.0. Any NaN equals any other: IEEE 754 (2019, 6.2) does not fix sign and payload of a computed NaN,
and they differ between processors and compilers. The two parts of a complex number are compared separately.
"""

from dataclasses import replace
from typing import ClassVar, Literal

from app.judging.checker import Checker, DtypePolicy, Finding, Task, find_elements, find_text
from app.judging.leaf import Array, Kind
from app.judging.numeric import np
from app.judging.tolerance_comparison import EXACT, Distance, measure, pieces


class Exact(Checker):
    """The same bits in every element. Any NaN equals any other."""

    checker: Literal["exact"]

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex", "text"})
    any_int: ClassVar[bool] = True
    dtype_policy: ClassVar[DtypePolicy] = "exact"

    @property
    def rule(self) -> str:
        return "bitwise equal to the expected one"

    def check(self, task: Task) -> Finding:
        if task.expected.kind == "text":
            return find_text(task)
        distance = measure(task.answer, task.expected, EXACT)
        if task.expected.kind in ("float", "complex"):
            distance = _by_bits(distance, task.answer.array.reshape(-1), task.expected.array.reshape(-1))
        return find_elements(task, distance, gap=_gap_text)


def _by_bits(distance: Distance, answer: Array, expected: Array) -> Distance:
    """Count also the elements that are equal as numbers but differ in their bits."""
    first, count = None, 0
    for piece in pieces(expected.size):
        others = np.flatnonzero(_differ(answer[piece], expected[piece]))
        count += others.size
        if first is None and others.size:
            first = piece.start + int(others[0])
    found = replace(distance, outside=count, used=float("inf")) if count else distance
    return found if distance.outside else replace(found, worst=distance.worst if first is None else first)


def _differ(answer: Array, expected: Array) -> Array:
    given, wanted = _parts(answer), _parts(expected)
    bits = f"u{expected.dtype.itemsize // given.shape[1]}"
    differ = (given.view(bits) != wanted.view(bits)) & ~(np.isnan(given) & np.isnan(wanted))
    return np.asarray(differ.any(axis=1))


def _parts(array: Array) -> Array:
    """Return one column, or two for complex numbers."""
    if array.dtype.kind == "c":
        return np.ascontiguousarray(array).view(array.real.dtype).reshape(-1, 2)
    return array.reshape(-1, 1)


def _gap_text(found: Finding) -> str:
    if found.worst_difference is None:
        return ""
    if found.worst_difference == 0.0:
        return " (same number, different bits: check the sign of zero)"
    return " (must be equal)"
