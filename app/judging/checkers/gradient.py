"""`gradient`: the relative error of the whole leaf, taken as one vector, is small.

The rule is ‖a − e‖ ≤ relative · max(‖a‖, ‖e‖), with Euclidean norms over the leaf. This is the relative error of
Stanford's CS231n (notes on neural networks 3, "Gradient checks") for the vector instead of each number. There, 1e-7 is
good in float64, 1e-4 is for objectives with kinks, and above 1e-2 the gradient is probably wrong. Rounding may give a
tiny element a large relative error. So use it for gradients, Jacobian-vector products and update directions, and not
where each element counts. `absolute` also accepts any difference up to that length, because a gradient that is zero up
to rounding has no direction. Two zero vectors match.

The judge has arrays but no function to differentiate. For a check against central differences, let the reference
compute those in float64.
"""

from dataclasses import dataclass, replace
from math import acos, degrees, sqrt
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.judging.checker import VALUES, Checker, CheckerUnfit, Finding, Task, find_elements
from app.judging.leaf import Array, Kind
from app.judging.numeric import np
from app.judging.options import Number
from app.judging.tolerance_comparison import EXACT, measure, pieces

ALIGNED = 0.999


class Gradient(Checker):
    """‖answer − expected‖ ≤ relative · max(‖answer‖, ‖expected‖), or ≤ absolute."""

    checker: Literal["gradient"]
    relative: Annotated[Number, Field(gt=0, le=0.5)]
    absolute: Annotated[Number, Field(ge=0)] = 0.0

    kinds: ClassVar[frozenset[Kind]] = frozenset({"float", "complex"})

    @property
    def rule(self) -> str:
        return f"within a relative error of {self.relative:g}, with all elements compared as one vector"

    def check(self, task: Task) -> Finding:
        if not np.isfinite(task.expected.array).all():
            raise CheckerUnfit(f"gradient can't judge {task.place}: it holds nan or inf; choose another checker")
        distance = measure(task.answer, task.expected, EXACT)
        found = find_elements(task, replace(distance, outside=distance.misplaced))
        if distance.misplaced:
            return found
        vectors = _vectors(task.answer.array.reshape(-1), task.expected.array.reshape(-1))
        used = min(vectors.error / self.relative, _share(vectors.difference, self.absolute))
        found = replace(found, worst_difference=vectors.error, worst_allowed=self.relative, tolerance_used=used)
        if used <= 1.0:
            return found
        error = f"the relative error is {vectors.error:.3g}; at most {self.relative:g} is allowed"
        return replace(found, category=VALUES, message=f"{task.subject}: {error}; {vectors.comparison}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vectors:
    """Two lengths, the length of the difference and the inner product, in units that keep squares from overflowing."""

    unit: float
    answer: float
    expected: float
    apart: float
    product: float

    @property
    def error(self) -> float:
        longer = max(self.answer, self.expected)
        return self.apart / longer if longer else 0.0

    @property
    def difference(self) -> float:
        return self.apart * self.unit

    @property
    def comparison(self) -> str:
        if not self.answer or not self.expected:
            return f"{'your vector' if not self.answer else 'the expected vector'} is all zeros"
        cosine = max(-1.0, min(1.0, self.product / (self.answer * self.expected)))
        if abs(cosine) < ALIGNED:
            return f"your vector points {degrees(acos(cosine)):.0f}° away from the expected direction"
        way = "has the expected direction" if cosine > 0 else "points in the opposite direction"
        return f"your vector {way} and {self.answer / self.expected:.3g} times the expected length"


def _vectors(answer: Array, expected: Array) -> _Vectors:
    wide = np.complex128 if "c" in (answer.dtype.kind, expected.dtype.kind) else np.float64

    def parts(array: Array, piece: slice) -> Array:
        return array[piece].astype(wide).view(np.float64)

    unit = max(
        (_peak(parts(array, piece)) for piece in pieces(expected.size) for array in (answer, expected)), default=0
    )
    sums = np.zeros(4)
    for piece in pieces(expected.size if unit else 0):
        a, e = parts(answer, piece) / unit, parts(expected, piece) / unit
        sums += [a @ a, e @ e, (a - e) @ (a - e), a @ e]
    lengths = [sqrt(square) for square in sums[:3]]
    return _Vectors(unit=unit, answer=lengths[0], expected=lengths[1], apart=lengths[2], product=float(sums[3]))


def _peak(numbers: Array) -> float:
    return float(np.abs(numbers).max())


def _share(difference: float, allowed: float) -> float:
    """Return the used share of the allowed difference, or 0 without a difference."""
    if difference == 0:
        return 0.0
    return difference / allowed if allowed else float("inf")
