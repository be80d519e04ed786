"""`ulp`: each float is at most `units` units in the last place from the expected one.

The distance of two floats is the number of steps to the next representable number between them. It is the difference
of their bit patterns, read as integers in the order of the numbers (Dawson, "Comparing Floating Point Numbers, 2012
Edition"; `numpy.testing.assert_array_max_ulp`). −0.0 and 0.0 are one number, so the smallest positive and the smallest
negative number are two steps apart. The dtype must match: one step of float32 is 2**29 steps of float64. NaN and inf
must match.
"""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.judging.checker import Checker, DtypePolicy, Finding, Objection, Shape, Task
from app.judging.element_report import find_elements
from app.judging.leaf import Array, Kind, canonical
from app.judging.numeric import np
from app.judging.options import Integer
from app.judging.tolerance_comparison import EXACT, Gaps, Tolerance, integer_gaps, measure, summarise

DTYPES = ("bfloat16", "float16", "float32", "float64")


class Ulp(Checker):
    """At most `units` steps to the next number of the dtype."""

    checker: Literal["ulp"]
    units: Annotated[Integer, Field(ge=0, le=2**24)]

    kinds: ClassVar[frozenset[Kind]] = frozenset({"float"})
    dtype_policy: ClassVar[DtypePolicy] = "exact"

    @property
    def rule(self) -> str:
        return f"at most {self.units} unit{'s' * (self.units != 1)} in the last place from the expected value"

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if canonical(dtype) in DTYPES:
            return super().find_unfit(dtype, shape)
        return Objection(message=f"is {dtype}, but ulp judges {', '.join(DTYPES)}", remedy="choose another checker")

    def check(self, task: Task) -> Finding:
        answer, expected = task.answer.array.reshape(-1), task.expected.array.reshape(-1)
        allowed = Tolerance(rtol=0.0, atol=float(self.units))
        steps = summarise(expected.size, lambda piece: _gaps(answer[piece], expected[piece]), allowed)
        by_value = measure(task.answer, task.expected, EXACT)
        distance = replace(steps, max_abs=by_value.max_abs, max_rel=by_value.max_rel)
        return find_elements(task, distance, gap=_gap_text)


def _gaps(answer: Array, expected: Array) -> Gaps:
    """Return the gaps in steps. NaN and inf have none, although their bit patterns follow the largest numbers."""
    finite = np.isfinite(answer) & np.isfinite(expected)
    placed = finite | (np.isnan(answer) & np.isnan(expected)) | (answer == expected)
    gap = np.where(finite, integer_gaps(_ordered(answer), _ordered(expected)).gap, 0.0)
    return Gaps(gap=gap, magnitude=np.zeros(gap.shape), finite=finite, misplaced=~placed)


def _ordered(floats: Array) -> Array:
    """Return int64 in the floats' order, with neighbours one apart. A float's bits are its sign and its magnitude."""
    width = 8 * floats.dtype.itemsize
    bits = floats.view(f"u{floats.dtype.itemsize}").astype(np.uint64)
    magnitude = (bits & np.uint64(2 ** (width - 1) - 1)).astype(np.int64)
    return np.where(bits >> np.uint64(width - 1), -magnitude, magnitude)


def _gap_text(found: Finding) -> str:
    return f" ({found.worst_difference:.0f} units in the last place apart; at most {found.worst_allowed:.0f} allowed)"
