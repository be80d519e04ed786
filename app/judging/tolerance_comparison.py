"""Comparison within a tolerance: the element-wise distance of two arrays of the same shape.

Floats are compared in float64, and complex numbers by the modulus of their difference in complex128. Integers are
subtracted as 64-bit integers, because float64 can't tell 2**53 from 2**53 + 1. The arrays are compared in pieces, so
a large answer needs little extra memory.

The default tolerances are those of `torch.testing.assert_close`: https://docs.pytorch.org/docs/stable/testing.html
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from app.errors import Invalid
from app.judging.leaf import Array, Leaf
from app.judging.numeric import np

PIECE = 1 << 18  # elements at a time; a dozen temporary arrays of 2 MiB each

_Floats: TypeAlias = Array
_Mask: TypeAlias = Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """The bound |answer − expected| ≤ atol + rtol · |expected| for each element."""

    rtol: float
    atol: float

    def __post_init__(self) -> None:
        for name, value in (("rtol", self.rtol), ("atol", self.atol)):
            if not (math.isfinite(value) and value >= 0):
                raise Invalid(name, f"{name} is {value}; it must be a finite number of at least 0")


EXACT = Tolerance(rtol=0.0, atol=0.0)

DEFAULTS: Mapping[str, Tolerance] = {
    "float16": Tolerance(rtol=1e-3, atol=1e-5),
    "bfloat16": Tolerance(rtol=1.6e-2, atol=1e-5),
    "float32": Tolerance(rtol=1.3e-6, atol=1e-5),
    "float64": Tolerance(rtol=1e-7, atol=1e-7),
    "complex64": Tolerance(rtol=1.3e-6, atol=1e-5),
    "complex128": Tolerance(rtol=1e-7, atol=1e-7),
}


def default_for(dtype: str) -> Tolerance:
    """Return the default for the expected dtype. Integers, bool and floats of at most 8 bits are exact."""
    return DEFAULTS.get(dtype, EXACT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """A summary of all elements. `outside` counts the wrong ones, `misplaced` those with an unexpected NaN or inf.

    `max_abs`, `max_rel` and `used` cover the elements that are finite in both arrays, and are None if there are none.
    `max_rel` covers only those whose expected value is not 0. `used` is the share of the tolerance: 1.0 is exactly at
    the limit, inf is any difference where none is allowed. `worst` is the flat index of the first misplaced element,
    or else of the element with the largest excess over its tolerance.
    """

    outside: int
    misplaced: int
    max_abs: float | None
    max_rel: float | None
    used: float | None
    worst: int | None
    worst_gap: float | None
    worst_allowed: float | None


NOTHING = Distance(
    outside=0, misplaced=0, max_abs=None, max_rel=None, used=None, worst=None, worst_gap=None, worst_allowed=None
)


def measure(answer: Leaf, expected: Leaf, tolerance: Tolerance) -> Distance:
    """Measure two leaves, numbers or arrays, of the same shape."""
    if answer.array.dtype == object or expected.array.dtype == object:
        return _measure_big_ints(answer.array.item(), expected.array.item())
    given, wanted = answer.array.reshape(-1), expected.array.reshape(-1)
    kinds = (answer.kind, expected.kind)
    return summarise(wanted.size, lambda piece: _gaps(given[piece], wanted[piece], kinds), tolerance)


def summarise(size: int, gaps_of: Callable[[slice], "Gaps"], tolerance: Tolerance) -> Distance:
    """Summarise the gaps of flat arrays, piece by piece."""
    total = NOTHING
    with np.errstate(all="ignore"):
        for piece in pieces(size):
            total = _join(total, _summary(gaps_of(piece), tolerance, piece.start))
    return total


def pieces(size: int) -> Iterator[slice]:
    return (slice(start, start + PIECE) for start in range(0, size, PIECE))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gaps:
    """For each element: |answer − expected| (0 where either is not finite), |expected|, and misplaced NaN or inf."""

    gap: _Floats
    magnitude: _Floats
    finite: _Mask
    misplaced: _Mask


def _gaps(answer: Array, expected: Array, kinds: tuple[str, str]) -> Gaps:
    if "complex" in kinds:
        return _float_gaps(answer.astype(np.complex128), expected.astype(np.complex128))
    if "float" not in kinds:
        return integer_gaps(_as_int64(answer), _as_int64(expected))
    gaps = _float_gaps(answer.astype(np.float64), expected.astype(np.float64))
    return gaps if kinds[1] == "float" else _never_rounded(gaps, _as_int64(expected))


def _float_gaps(answer: Array, expected: Array) -> Gaps:
    finite = np.isfinite(answer) & np.isfinite(expected)
    # NaN matches NaN: masked attention rows are NaN in the reference. inf matches inf of the same sign.
    placed = finite | (np.isnan(answer) & np.isnan(expected)) | (answer == expected)
    gap = np.where(finite, np.abs(answer - expected), 0.0)
    return Gaps(gap=gap, magnitude=np.abs(expected), finite=finite, misplaced=~placed)


def integer_gaps(answer: Array, expected: Array) -> Gaps:
    """Compare two arrays, each int64 or uint64."""
    less = answer < expected
    given, wanted = answer.astype(np.uint64), expected.astype(np.uint64)
    larger = np.where(less, wanted, given)
    gap = np.where(less, wanted - given, given - wanted)  # modulo 2**64, which is right up to there
    crosses_zero = (answer < 0) != (expected < 0)
    gap[crosses_zero & (gap < larger)] = np.iinfo(np.uint64).max
    everywhere = np.ones(gap.shape, np.bool_)
    magnitude = np.abs(expected.astype(np.float64))
    return Gaps(gap=gap.astype(np.float64), magnitude=magnitude, finite=everywhere, misplaced=~everywhere)


def _never_rounded(gaps: Gaps, expected: Array) -> Gaps:
    """Compare floats with expected integers. No float matches an integer that float64 can't represent."""
    nearest = expected.astype(np.float64)
    has_float = (nearest < float(np.iinfo(expected.dtype).max)) & (nearest.astype(expected.dtype) == expected)
    return Gaps(
        gap=np.where(has_float, gaps.gap, np.maximum(gaps.gap, 1.0)),
        magnitude=gaps.magnitude,
        finite=gaps.finite,
        misplaced=gaps.misplaced,
    )


def _as_int64(array: Array) -> Array:
    return array if array.dtype == np.uint64 else array.astype(np.int64)


def _summary(gaps: Gaps, tolerance: Tolerance, start: int) -> Distance:
    allowed = _allowed(gaps, tolerance)
    too_far = _is_too_far(gaps, allowed)
    excess = np.where(gaps.finite, np.where(np.isinf(gaps.gap), np.inf, gaps.gap - allowed), -np.inf)
    worst = int(np.argmax(gaps.misplaced) if gaps.misplaced.any() else np.argmax(excess))
    used = np.where(gaps.gap == 0, 0.0, gaps.gap / allowed)
    return Distance(
        outside=int(np.count_nonzero(too_far | gaps.misplaced)),
        misplaced=int(np.count_nonzero(gaps.misplaced)),
        max_abs=_largest(gaps.gap, gaps.finite),
        max_rel=_largest(gaps.gap / gaps.magnitude, gaps.finite & (gaps.magnitude > 0)),
        used=_largest(used, gaps.finite),
        worst=start + worst,
        worst_gap=float(gaps.gap[worst]),
        worst_allowed=float(allowed[worst]),
    )


def _allowed(gaps: Gaps, tolerance: Tolerance) -> _Floats:
    return tolerance.atol + tolerance.rtol * gaps.magnitude


def _is_too_far(gaps: Gaps, allowed: _Floats) -> _Mask:
    return (gaps.gap > allowed) | np.isinf(gaps.gap)


def _largest(values: _Floats, where: _Mask) -> float | None:
    return float(np.max(values, where=where, initial=0.0)) if where.any() else None


def _join(first: Distance, second: Distance) -> Distance:
    worse = second if _badness(second) > _badness(first) else first
    return Distance(
        outside=first.outside + second.outside,
        misplaced=first.misplaced + second.misplaced,
        max_abs=_larger(first.max_abs, second.max_abs),
        max_rel=_larger(first.max_rel, second.max_rel),
        used=_larger(first.used, second.used),
        worst=worse.worst,
        worst_gap=worse.worst_gap,
        worst_allowed=worse.worst_allowed,
    )


def _badness(distance: Distance) -> tuple[bool, bool, float]:
    excess = (distance.worst_gap or 0.0) - (distance.worst_allowed or 0.0)
    return distance.worst is not None, distance.misplaced > 0, excess


def _larger(first: float | None, second: float | None) -> float | None:
    return max(first, second) if first is not None and second is not None else second if first is None else first


def _measure_big_ints(answer: Any, expected: Any) -> Distance:
    """Compare ints of more than 64 bits, which Python does exactly, also with floats."""
    wrong = int(answer != expected)
    return Distance(
        outside=wrong,
        misplaced=0,
        max_abs=None if wrong else 0.0,
        max_rel=None if wrong else 0.0,
        used=float("inf") if wrong else 0.0,
        worst=0,
        worst_gap=None,
        worst_allowed=None,
    )
