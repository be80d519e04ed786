"""Measure how far an answer is from the expected one: by the problem's rules, bit by bit, and up to rounding."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np

from app.catalog.package import Package
from app.engine.case_verdict import CATEGORY_OF_ENDING
from app.engine.custom_checker import CustomChecker
from app.engine.prepare import PreparedCase
from app.engine.request import rules_of
from app.judging.checker import NAN_OR_INF, Ask, DtypePolicy
from app.judging.comparison import LeafReport, compare
from app.judging.leaf import Leaf, StructureDiffers, Tree, aligned, pair_leaves
from sandbox.guest.codec import Malformed, decode
from sandbox.interface import CaseOutcome, Ending

# Units in the last place of a leaf's largest element. Sums of thousands of terms stay below in practice.
ROUNDING = 64
_MEASURED = frozenset({"float", "float32", "float64", "complex64", "complex128", "complex"})
# Relative to a leaf's largest element. Python floats may have been computed in float32.
REPEATED = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """`how` is the category of the failure, as students get it, or "" if the answer is right."""

    how: str
    leaves: tuple[LeafReport, ...] = ()

    @property
    def is_right(self) -> bool:
        return not self.how

    @property
    def used(self) -> float | None:
        """Return the largest share of a tolerance, or None if no tolerance applies."""
        shares = [share for leaf in self.leaves if (share := share_of(leaf)) is not None]
        return max(shares) if shares and all(map(isfinite, shares)) else None


def share_of(leaf: LeafReport) -> float | None:
    """Return the share of its tolerance that the leaf uses, or None if it is right and has no tolerance.

    The share is inf if no tolerance would accept the leaf: for misplaced NaN or inf, another shape or dtype, and wrong
    texts.
    """
    is_beyond = leaf.category is not None and (leaf.category == NAN_OR_INF or leaf.tolerance_used is None)
    return inf if is_beyond else leaf.tolerance_used


def distances_of(asker: CustomChecker, answers: Sequence[tuple[PreparedCase, CaseOutcome]]) -> list[Distance]:
    """Return the distance of each answer; one process of checker.py judges many.

    Raises JudgeFailed, BoxLost, Aborted.
    """
    asks = asker.about_all([(c.name, c.inputs, c.expected, outcome.answer or b"") for c, outcome in answers])
    return [_distance(asker.package, *answer, ask) for answer, ask in zip(answers, asks, strict=True)]


def _distance(package: Package, case: PreparedCase, outcome: CaseOutcome, ask: Ask) -> Distance:
    if outcome.ending is not Ending.ANSWERED or outcome.answer is None:
        return Distance(how=CATEGORY_OF_ENDING[outcome.ending])
    try:
        answer = decode(outcome.answer)
    except Malformed:
        return Distance(how=CATEGORY_OF_ENDING[Ending.FORGED])
    comparison = compare(answer, decode(case.expected), rules_of(package.manifest), ask)
    return Distance(how=comparison.category or "", leaves=comparison.leaves)


def is_same(answer: bytes | None, expected: bytes | None, dtype_policy: DtypePolicy) -> bool:
    """Whether all values are equal. Floats of another dtype count as equal if the policy accepts it."""
    if answer is None or expected is None or answer == expected:
        return answer == expected
    return _all_pairs(answer, expected, lambda a, e: _is_equal(_in_dtype(a, e, dtype_policy), e))


def is_rounding(
    answer: bytes | None, expected: bytes | None, units: float = ROUNDING, dtype_policy: DtypePolicy = "exact"
) -> bool:
    """Whether only floats differ, by at most `units` in the last place of their leaf's largest element."""
    if answer is None or expected is None or answer == expected:
        return answer == expected
    return _all_pairs(answer, expected, lambda a, e: _is_close(_in_dtype(a, e, dtype_policy), e, units))


def _all_pairs(answer: bytes, expected: bytes, agree: Callable[[Leaf, Leaf], bool]) -> bool:
    pairs = pair_leaves(decode(answer), decode(expected))
    return not isinstance(pairs, StructureDiffers) and all(agree(pair.answer, pair.expected) for pair in pairs)


def _in_dtype(answer: Leaf, expected: Leaf, dtype_policy: DtypePolicy) -> Leaf:
    """Return the answer rounded to the expected dtype, if both are floats and the policy accepts either dtype."""
    if dtype_policy == "exact" or answer.kind != "float" or expected.kind != "float":
        return answer
    with np.errstate(over="ignore"):
        array = answer.array.astype(expected.array.dtype)
    return replace(answer, dtype=expected.dtype, array=array)


def _is_equal(answer: Leaf, expected: Leaf) -> bool:
    if answer.dtype != expected.dtype or answer.shape != expected.shape:
        return False
    if answer.kind == "text":
        return answer.value == expected.value
    return bool(np.array_equal(answer.array, expected.array, equal_nan=expected.kind in ("float", "complex")))


def relative_difference(answer: bytes, expected: bytes) -> float:
    """Return the largest difference, relative to its leaf's largest element. inf if they can't be subtracted."""
    pairs = pair_leaves(decode(answer), decode(expected))
    if isinstance(pairs, StructureDiffers):
        return inf
    return max((_relative(pair.answer, pair.expected) for pair in pairs), default=0.0)


def _relative(answer: Leaf, expected: Leaf) -> float:
    difference = _difference(answer, expected)
    if not difference or not isfinite(difference):
        return difference
    largest = float(np.abs(expected.array[np.isfinite(expected.array)]).max(initial=0.0))
    return difference / largest if largest else inf


def is_repeated(answer: bytes, expected: bytes) -> bool:
    """Whether one deterministic program can have given both answers, if its threads add in varying order."""
    pairs = () if answer == expected else pair_leaves(decode(answer), decode(expected))
    if isinstance(pairs, StructureDiffers):
        return False
    return all(_is_close(pair.answer, pair.expected, REPEATED / _unit(pair.expected)) for pair in pairs)


def largest_difference(answer: bytes, expected: bytes) -> tuple[str, float]:
    """Return the path of the leaf whose numbers differ most, and by how much. inf if they can't be subtracted."""
    pairs = pair_leaves(decode(answer), decode(expected))
    if isinstance(pairs, StructureDiffers):
        return "", inf
    return max(((pair.path, _difference(pair.answer, pair.expected)) for pair in pairs), key=lambda by: by[1])


def _difference(answer: Leaf, expected: Leaf) -> float:
    if "text" in (answer.kind, expected.kind) or object in (answer.array.dtype, expected.array.dtype):
        return 0.0 if answer.kind == expected.kind and answer.value == expected.value else inf
    if answer.shape != expected.shape:
        return inf
    a, e = answer.array.astype(np.complex128), expected.array.astype(np.complex128)
    differ = ~((a == e) | (np.isnan(a) & np.isnan(e)))
    with np.errstate(invalid="ignore"):
        return float(np.nan_to_num(np.abs(a - e)[differ], nan=inf, posinf=inf).max(initial=0.0))


def same_dtypes(answer: Tree, expected: Tree) -> Tree:
    """Round the answer's floats to the dtypes of the expected answer, where their structures agree."""
    answer = aligned(answer, expected)
    if isinstance(answer, dict) and isinstance(expected, dict):
        return {key: same_dtypes(item, expected.get(key)) for key, item in answer.items()}
    if isinstance(answer, list | tuple) and isinstance(expected, list | tuple) and len(answer) == len(expected):
        return [same_dtypes(a, e) for a, e in zip(answer, expected, strict=True)]
    if isinstance(answer, np.ndarray) and isinstance(expected, np.ndarray) and answer.dtype.kind == "f":
        return answer.astype(expected.dtype) if expected.dtype.kind not in "biu" else answer
    return answer


def _is_close(answer: Leaf, expected: Leaf, units: float) -> bool:
    if expected.kind not in ("float", "complex") or answer.dtype != expected.dtype or answer.shape != expected.shape:
        return bool(answer.value is expected.value or np.array_equal(answer.array, expected.array)) and (
            answer.kind != "text" or answer.value == expected.value
        )
    if expected.dtype not in _MEASURED:
        return bool(np.array_equal(answer.array, expected.array, equal_nan=True))
    finite = np.isfinite(expected.array)
    if not np.array_equal(finite, np.isfinite(answer.array)):
        return False
    a, e = answer.array[finite].astype(np.complex128), expected.array[finite].astype(np.complex128)
    return bool(np.abs(a - e).max(initial=0.0) <= units * _unit(expected) * np.abs(e).max(initial=0.0))


def _unit(leaf: Leaf) -> float:
    """Return the unit in the last place of 1. A Python float that float32 can hold was probably computed in it."""
    if leaf.dtype not in _MEASURED:
        return 1.0
    is_narrow = leaf.dtype == "float" and float(np.float32(leaf.array)) == float(leaf.array)
    return float(np.finfo(np.float32 if is_narrow else leaf.array.dtype).eps)
