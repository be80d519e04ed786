"""Is the answer right? The rules, in the order in which they are applied.

1. Structure: the same keys, the same number of items (lists and tuples may stand for each other).
2. Shape: exactly the same; nothing broadcasts.
3. dtype, by the problem's policy: `exact`, the same `kind` (bool, int, float, complex), or `any` number.
4. NaN where NaN is expected and nowhere else, inf where inf of the same sign is.
5. |answer − expected| ≤ atol + rtol · |expected|.

A rule is applied to every leaf before the next one is. Integers, bool and text are exact; a tolerance of the whole
output does not touch them, since 0.01 % of a token's number is another token. An integer leaf gets a tolerance only
when the problem names its path. An expected output with nothing in it is no proof of anything, and never a pass.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

import numpy as np

from app.judging.elements import NOTHING, Distance, measure
from app.judging.leaf import MAX_TEXT_SHOWN, Leaf, Shown, Tree, shown
from app.judging.structure import Pair, StructureDiffers, describe, holds_something, pair_leaves, subject
from app.judging.text import printable
from app.judging.tolerance import EXACT, Tolerance, default_for

DtypePolicy: TypeAlias = Literal["exact", "kind", "any"]

STRUCTURE, EMPTY = "structure differs", "empty output"
SHAPE, DTYPE = "shape differs", "dtype differs"
NAN_OR_INF, VALUES = "nan or inf differs", "values outside tolerance"
UNSUPPORTED = "unsupported output"  # said by the box, which could not turn the output into values

_ORDER = (SHAPE, DTYPE, NAN_OR_INF, VALUES)
_CANONICAL = {"float": "float64", "int": "int64", "complex": "complex128"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """`leaves` maps patterns of leaf paths ("params/*") to tolerances; `tolerance` None means the default by dtype."""

    tolerance: Tolerance | None = None
    leaves: Mapping[str, Tolerance] = field(default_factory=dict)
    dtype_policy: DtypePolicy = "kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafReport:
    """What was found at one leaf. `category` is None when it is right; numbers are None when there is none to give.

    `tolerance_used` is the largest share: 1.0 is exactly at the limit, inf a difference where none is allowed.
    """

    path: str
    category: str | None
    shape: tuple[int, ...]
    dtype: str
    expected_shape: tuple[int, ...]
    expected_dtype: str
    outside: int = 0
    size: int
    max_abs: float | None = None
    max_rel: float | None = None
    worst_index: tuple[int, ...] | None = None
    worst_answer: Shown | None = None
    worst_expected: Shown | None = None
    worst_difference: float | None = None
    worst_allowed: float | None = None
    tolerance_used: float | None = None
    rtol: float
    atol: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    accepted: bool
    category: str | None
    message: str
    leaves: tuple[LeafReport, ...] = ()


def compare(answer: Tree, expected: Tree, rules: Rules) -> Comparison:
    if not holds_something(expected):
        return _rejected(EMPTY, "the expected output of this case is empty, so nothing can pass it; tell its author")
    if not holds_something(answer):
        return _rejected(EMPTY, _nothing(answer, expected))
    pairs = pair_leaves(answer, expected)
    if isinstance(pairs, StructureDiffers):
        return _rejected(STRUCTURE, pairs.message)
    return _conclude(tuple(_examine(pair, rules) for pair in pairs))


def tolerance_for(path: str, expected: Leaf, rules: Rules) -> Tolerance:
    """The leaf's own path wins, then the longest pattern that matches it, then the whole output's, then the default."""
    if expected.kind in ("bool", "text"):
        return EXACT
    matching = [pattern for pattern in rules.leaves if pattern == path or fnmatchcase(path, pattern)]
    if matching:
        return rules.leaves[max(matching, key=lambda pattern: (pattern == path, len(pattern), pattern))]
    if rules.tolerance is None or expected.kind == "int":
        return default_for(_canonical(expected.dtype))
    return rules.tolerance


def _rejected(category: str, message: str) -> Comparison:
    return Comparison(accepted=False, category=category, message=message)


def _nothing(answer: Tree, expected: Tree) -> str:
    if answer is None:
        return f"your output is None; expected {describe(expected)} (does your function return its result?)"
    return f"your output {'holds no value' if answer else f'is {describe(answer)}'}; expected {describe(expected)}"


def _conclude(reports: tuple[LeafReport, ...]) -> Comparison:
    for category in _ORDER:
        wrong = [report for report in reports if report.category == category]
        if wrong:
            return Comparison(accepted=False, category=category, message=_sentence(wrong[0]), leaves=reports)
    return Comparison(accepted=True, category=None, message="your output is right", leaves=reports)


def _examine(pair: Pair, rules: Rules) -> LeafReport:
    tolerance = tolerance_for(pair.path, pair.expected, rules)
    report = LeafReport(
        path=pair.path,
        category=_category_before_values(pair, rules.dtype_policy),
        shape=pair.answer.shape,
        dtype=pair.answer.dtype,
        expected_shape=pair.expected.shape,
        expected_dtype=pair.expected.dtype,
        size=pair.expected.array.size,
        rtol=tolerance.rtol,
        atol=tolerance.atol,
    )
    if report.category is not None:
        return report
    if pair.expected.kind == "text":
        return _with_text(report, pair)
    return _with_distance(report, pair, measure(pair.answer, pair.expected, tolerance))


def _category_before_values(pair: Pair, policy: DtypePolicy) -> str | None:
    if pair.answer.shape != pair.expected.shape:
        return SHAPE
    same_dtype = _canonical(pair.answer.dtype) == _canonical(pair.expected.dtype)
    same_kind = pair.answer.kind == pair.expected.kind
    is_allowed = {"exact": same_dtype, "kind": same_kind, "any": True}[policy]
    return None if is_allowed else DTYPE


def _canonical(dtype: str) -> str:
    return _CANONICAL.get(dtype, dtype)


def _with_text(report: LeafReport, pair: Pair) -> LeafReport:
    answer, expected = (printable(repr(leaf.value), MAX_TEXT_SHOWN) for leaf in (pair.answer, pair.expected))
    if pair.answer.value == pair.expected.value:
        return report
    return replace(report, category=VALUES, outside=1, worst_answer=answer, worst_expected=expected)


def _with_distance(report: LeafReport, pair: Pair, distance: Distance) -> LeafReport:
    if distance == NOTHING or distance.worst is None:
        return report
    index = tuple(int(i) for i in np.unravel_index(distance.worst, report.shape))
    wrong = NAN_OR_INF if distance.misplaced else VALUES
    return replace(
        report,
        category=wrong if distance.outside else None,
        outside=distance.outside,
        max_abs=distance.max_abs,
        max_rel=distance.max_rel,
        worst_index=index,
        worst_answer=shown(pair.answer.array[index]),
        worst_expected=shown(pair.expected.array[index]),
        worst_difference=distance.worst_gap,
        worst_allowed=distance.worst_allowed,
        tolerance_used=distance.used,
    )


def _sentence(report: LeafReport) -> str:
    where = subject(report.path)
    if report.category == SHAPE:
        return f"{where} has shape {report.shape}; expected {report.expected_shape}"
    if report.category == DTYPE:
        return f"{where} has dtype {report.dtype}; expected {report.expected_dtype}"
    if not report.shape:
        return f"{where} is {report.worst_answer}; expected {report.worst_expected}{_difference(report)}"
    found = f"yours {report.worst_answer}, expected {report.worst_expected}{_difference(report)}"
    return f"{where}: {report.outside} of {report.size} elements differ; {_which(report)} {found}"


def _which(report: LeafReport) -> str:
    place = "first nan or inf out of place" if report.category == NAN_OR_INF else "furthest off"
    return f"{place} at {report.worst_index}:"


def _difference(report: LeafReport) -> str:
    if report.category == NAN_OR_INF or report.worst_difference is None:
        return ""
    return f" (difference {report.worst_difference:.3g}, allowed {report.worst_allowed:.3g})"
