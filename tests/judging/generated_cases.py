"""Many pairs of arrays, for judging side by side with NumPy and PyTorch.

A pair is an expected array and a copy with mistakes of every size around the tolerance, NaN and inf put in and taken
out. None stands so near the limit that rounding decides: PyTorch subtracts in the dtype, Allclose in float64.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from app.judging.leaf import Array
from app.judging.tolerance_comparison import Tolerance, default_for

NAMES = (
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
    "int8",
    "int32",
    "int64",
    "uint8",
    "bool",
)
SHAPES = ((), (1,), (7,), (3, 4), (2, 1, 5), (0,), (2, 0))
SPECIAL = (float("nan"), float("inf"), float("-inf"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Generated:
    answer: Array
    expected: Array
    tolerance: Tolerance | None  # None: the default of the dtype

    @property
    def effective(self) -> Tolerance:
        return self.tolerance or default_for(self.expected.dtype.name)


def generate(count: int, seed: int) -> list[Generated]:
    random = np.random.default_rng(seed)
    found = (_one(random) for _ in iter(int, 1))
    return [case for case, _ in zip(_clear(found), range(count), strict=False)]


def _clear(cases: Iterator[Generated]) -> Iterator[Generated]:
    return (case for case in cases if not _is_at_the_limit(case))


def _one(random: np.random.Generator) -> Generated:
    dtype = np.dtype(_dtype(str(random.choice(NAMES))))
    expected = _values(random, SHAPES[random.integers(len(SHAPES))], dtype)
    tolerance = None if random.random() < 0.5 else Tolerance(rtol=_magnitude(random), atol=_magnitude(random))
    case = Generated(answer=expected.copy(), expected=expected, tolerance=tolerance)
    return Generated(answer=_mistaken(random, case), expected=expected, tolerance=tolerance)


def _dtype(name: str) -> Any:
    return getattr(ml_dtypes, name, name)


def _magnitude(random: np.random.Generator) -> float:
    return float(random.choice([0.0, 10.0 ** random.uniform(-8, 0)]))


def _values(random: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    numbers = np.asarray(random.normal(size=shape) * 10 ** random.uniform(-3, 2))
    if dtype.kind == "c":
        return _with_specials(random, numbers + 1j * np.asarray(random.normal(size=shape))).astype(dtype)
    if dtype.kind in "iub":
        return np.asarray(np.abs(numbers) % 100).astype(dtype)
    return _with_specials(random, numbers).astype(dtype)


def _with_specials(random: np.random.Generator, numbers: Array) -> Array:
    where = random.random(numbers.shape) < random.choice([0.0, 0.0, 0.2])
    return np.where(where, random.choice(SPECIAL, numbers.shape), numbers)


def _mistaken(random: np.random.Generator, case: Generated) -> Array:
    expected = case.expected
    if expected.dtype.kind == "b":
        return np.asarray(expected ^ (random.random(expected.shape) < random.choice([0.0, 0.2])))
    with np.errstate(all="ignore"):
        allowed = case.effective.atol + case.effective.rtol * np.abs(expected.astype(np.complex128))
        mistake = allowed * random.choice([0.0, 0.1, 0.9, 1.1, 3.0]) * random.choice([-1.0, 1.0], expected.shape)
        if expected.dtype.kind in "iu":
            mistake = np.round(mistake) + (random.random(expected.shape) < random.choice([0.0, 0.1]))
        wide = expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64) + mistake
        changed = wide if expected.dtype.kind in "iu" or random.random() < 0.8 else _with_specials(random, wide)
        return np.asarray(changed).astype(expected.dtype)


def _is_at_the_limit(case: Generated) -> bool:
    """Return whether rounding the difference and the allowed difference to the dtype may change the verdict."""
    wide = np.complex128 if case.expected.dtype.kind == "c" else np.float64
    answer, expected = case.answer.astype(wide), case.expected.astype(wide)
    with np.errstate(all="ignore"):
        gap = np.abs(answer - expected)
        allowed = case.effective.atol + case.effective.rtol * np.abs(expected)
        near = np.abs(gap - allowed) <= 4 * _resolution(case.expected.dtype) * (gap + allowed)
    return bool((near & np.isfinite(gap) & (gap > 0)).any())


def _resolution(dtype: np.dtype[Any]) -> float:
    finfo: Any = ml_dtypes.finfo
    return float(finfo(dtype).eps) if dtype.kind in "fcV" else 1e-12
