"""The comparison of an answer with the expected output. The rules apply in this order:

1. Structure: the same keys, the same number of items (lists and tuples may stand for each other; nested lists of
   numbers stand for an array if the problem accepts lists).
2. Shape: exactly the same; nothing broadcasts.
3. dtype, by the problem's policy: `exact`, the same `kind` (bool, int, float, complex), or `any` number.
4. NaN where NaN is expected and nowhere else, inf where inf of the same sign is.
5. The leaf's checker; by default `closeness`: |answer − expected| ≤ atol + rtol · |expected|.

Each rule applies to all leaves before the next one does. Integers, bool and text are exact: 0.01 % of a token's number
is another token. An integer leaf has a tolerance only if the problem names its path. Where the expected output is
empty or None, the answer must be the same. A checker's file says where it is stricter about the dtype or allows another
shape.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import Any

from app.judging.checker import (
    DTYPE,
    RIGHT,
    SHAPE,
    Ask,
    Checker,
    CheckerUnfit,
    DtypePolicy,
    Finding,
    Task,
    no_checker_box,
    severity,
)
from app.judging.checkers.closeness import Closeness
from app.judging.leaf import (
    Array,
    Leaf,
    Pair,
    StructureDiffers,
    Tree,
    canonical,
    describe,
    holds_something,
    pair_leaves,
    shown,
    with_arrays,
)
from app.judging.numeric import np
from app.judging.random_samples import RandomRules
from app.judging.tolerance_comparison import EXACT, Tolerance, default_for

CLOSENESS = Closeness(checker="closeness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules by patterns of leaf paths ("params/*"). A `tolerance` of None means the default of each dtype.

    `accept_lists`: nested lists of numbers may stand for an array. `random`: of the kind of answer `random`.
    `optional`: keys that an answer may leave out.
    """

    tolerance: Tolerance | None = None
    leaves: Mapping[str, Tolerance] = field(default_factory=dict)
    checkers: Mapping[str, Checker] = field(default_factory=dict)
    dtype_policy: DtypePolicy = "kind"
    accept_lists: bool = False
    random: RandomRules | None = None
    optional: frozenset[str] = frozenset()

    def view(self, tree: Tree) -> Tree:
        """Return the values of an answer that are compared and shown."""
        return self.random.view(tree) if self.random else tree


def tolerance_for(path: str, expected: Leaf, rules: Rules) -> Tolerance:
    """Return the tolerance of the leaf's path, else of the longest matching pattern, the output, or the dtype."""
    if expected.kind in ("bool", "text"):
        return EXACT
    pattern = find_pattern(path, rules.leaves)
    if pattern is not None:
        return rules.leaves[pattern]
    if rules.tolerance is None or expected.kind == "int":
        return default_for(canonical(expected.dtype))
    return rules.tolerance


def checker_for(path: str, rules: Rules) -> Checker:
    """Return the checker of the leaf's path or of the longest matching pattern, else closeness."""
    pattern = find_pattern(path, rules.checkers)
    return CLOSENESS if pattern is None else rules.checkers[pattern]


def find_pattern(path: str, patterns: Iterable[str]) -> str | None:
    matching = [pattern for pattern in patterns if pattern == path or fnmatchcase(path, pattern)]
    return max(matching, key=lambda pattern: (pattern == path, len(pattern), pattern), default=None)


WHOLE = 64  # a leaf with at most this many elements is shown whole
VECTOR, MATRIX = 120, 12  # elements of a vector; rows and columns of the last two axes
UNSUPPORTED = "unsupported output"  # set by the box if it can't convert the output into values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """The part of a large leaf around its worst element, for display.

    `start` is the index of its first element. Axes before the last two have length 1.
    """

    start: tuple[int, ...]
    answer: Array
    expected: Array

    def as_json(self) -> dict[str, Any]:
        shape = list(self.expected.shape)
        return {
            "start": list(self.start),
            "shape": shape,
            "answer": _list(self.answer),
            "expected": _list(self.expected),
        }


def cut_window(answer: Leaf, expected: Leaf, index: tuple[int, ...] | None) -> Window | None:
    """Return None if the leaf is small enough to be shown whole, or if it has no worst element."""
    shape = expected.shape
    if not index or answer.shape != shape or len(index) != len(shape) or expected.array.size <= WHOLE:
        return None
    lengths = (VECTOR,) if len(shape) == 1 else (*(1,) * (len(shape) - 2), MATRIX, MATRIX)
    start = tuple(
        max(min(place - length // 2, size - length), 0)
        for place, length, size in zip(index, lengths, shape, strict=True)
    )
    part = tuple(slice(begin, begin + length) for begin, length in zip(start, lengths, strict=True))
    return Window(start=start, answer=answer.array[part], expected=expected.array[part])


def _list(array: Array) -> list[Any]:
    return [shown(element) for element in array.reshape(-1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafReport(Finding):
    """A finding and the facts of its leaf. `rtol` and `atol` are None if the checker has no tolerance."""

    path: str
    checker: str
    shape: tuple[int, ...]
    dtype: str
    expected_shape: tuple[int, ...]
    expected_dtype: str
    size: int
    rtol: float | None
    atol: float | None
    window: Window | None = field(default=None, compare=False, repr=False)
    """The part around the worst element of a large leaf that differs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Leaf:
    checker: Checker
    task: Task
    before: Finding | None
    """A shape or dtype error, found before the values are compared."""


def examine(pairs: Sequence[Pair], rules: Rules, ask: Ask) -> tuple[LeafReport, ...]:
    """Check every leaf, and return one report for each, in order. Raises CheckerUnfit."""
    leaves = [_leaf(pair, rules, ask) for pair in pairs]
    findings = [leaf.before or (RIGHT if leaf.checker.is_asking else _check(leaf)) for leaf in leaves]
    # The package's checker.py runs last, and only if nothing else is wrong.
    if not any(finding.category for finding in findings):
        known = zip(leaves, findings, strict=True)
        findings = [_check(leaf) if leaf.checker.is_asking else finding for leaf, finding in known]
    return tuple(_report(leaf, finding) for leaf, finding in zip(leaves, findings, strict=True))


def _leaf(pair: Pair, rules: Rules, ask: Ask) -> _Leaf:
    checker = checker_for(pair.path, rules) if pair.expected.value is not None else CLOSENESS
    tolerance = tolerance_for(pair.path, pair.expected, rules)
    task = Task(path=pair.path, answer=pair.answer, expected=pair.expected, tolerance=tolerance, ask=ask)
    return _Leaf(checker=checker, task=task, before=_before_values(task, checker, rules.dtype_policy))


def _before_values(task: Task, checker: Checker, policy: DtypePolicy) -> Finding | None:
    answer, expected = task.answer, task.expected
    if answer.shape != expected.shape and not checker.any_shape:
        message = f"{task.subject} has shape {answer.shape}; expected {expected.shape}"
        return Finding(category=SHAPE, message=message)
    same_dtype = canonical(answer.dtype) == canonical(expected.dtype)
    same_kind = answer.kind == expected.kind
    if answer.array.dtype == object and not checker.any_int:
        return Finding(
            category=DTYPE,
            message=f"{task.subject} is an int of more than 64 bits; return one that fits int64 or uint64",
        )
    is_allowed = {"exact": same_dtype, "kind": same_kind, "any": True}
    if not (is_allowed[policy] and is_allowed[checker.dtype_policy]):
        message = f"{task.subject} has dtype {answer.dtype}; expected {expected.dtype}"
        return Finding(category=DTYPE, message=message)
    return None


def _check(leaf: _Leaf) -> Finding:
    checker, task = leaf.checker, leaf.task
    unfit: object = checker.find_unfit(task.expected.dtype, task.expected.shape)
    if task.expected.array.dtype == object and not checker.any_int:
        unfit = "is an int of more than 64 bits: choose another checker"
    if unfit:
        raise CheckerUnfit(f"{checker.checker} can't judge {task.place}: it {unfit}")
    with np.errstate(all="ignore"):
        return checker.check(task)


_FOUND = [each.name for each in fields(Finding)]


def _report(leaf: _Leaf, finding: Finding) -> LeafReport:
    answer, expected, tolerance = leaf.task.answer, leaf.task.expected, leaf.task.tolerance
    return LeafReport(
        **{name: getattr(finding, name) for name in _FOUND},
        path=leaf.task.path,
        checker=leaf.checker.checker,
        shape=answer.shape,
        dtype=answer.dtype,
        expected_shape=expected.shape,
        expected_dtype=expected.dtype,
        size=expected.array.size,
        rtol=tolerance.rtol if leaf.checker.has_tolerance else None,
        atol=tolerance.atol if leaf.checker.has_tolerance else None,
        window=cut_window(answer, expected, finding.worst_index) if finding.category else None,
    )


__all__ = ["Comparison", "LeafReport", "Rules", "compare"]

STRUCTURE, EMPTY = "structure differs", "empty output"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result for a whole output.

    `category` and `message` come from the worst leaf (`severity`). `leaves` are in the output's order.
    """

    accepted: bool
    category: str | None
    message: str
    leaves: tuple[LeafReport, ...] = ()


def compare(answer: Tree, expected: Tree, rules: Rules, ask: Ask = no_checker_box) -> Comparison:
    """Compare two trees. `ask` runs the package's `checker.py`, if it has one. Raises CheckerUnfit."""
    if rules.random is not None:
        return _compare_random(answer, expected, rules, rules.random, ask)
    if rules.optional and isinstance(answer, dict) and isinstance(expected, dict):
        kept = [(key, item) for key, item in expected.items() if key in answer or key not in rules.optional]
        expected = type(expected)(kept)
    answer = with_arrays(answer, expected) if rules.accept_lists else answer
    if holds_something(expected) and not holds_something(answer):
        return _rejected(EMPTY, _nothing(answer, expected))
    pairs = pair_leaves(answer, expected)
    if isinstance(pairs, StructureDiffers):
        return _rejected(STRUCTURE, pairs.message)
    return _conclude(examine(pairs, rules, ask))


def _compare_random(answer: Tree, expected: Tree, rules: Rules, random: RandomRules, ask: Ask) -> Comparison:
    """Compare the samples or their statistics. If they are right, apply the rules of randomness."""
    found = compare(random.view(answer), random.view(expected), replace(rules, random=None), ask)
    fault = random.find_fault(answer, expected) if found.accepted else None
    return _rejected(*fault) if fault else found


def _rejected(category: str, message: str) -> Comparison:
    return Comparison(accepted=False, category=category, message=message)


def _nothing(answer: Tree, expected: Tree) -> str:
    if answer is None:
        return f"your output is None; expected {describe(expected)} (does your function return its result?)"
    return f"your output {'holds no value' if answer else f'is {describe(answer)}'}; expected {describe(expected)}"


def _conclude(reports: tuple[LeafReport, ...]) -> Comparison:
    wrong = [report for report in reports if report.category is not None]
    if not wrong:
        return Comparison(accepted=True, category=None, message="your output is correct", leaves=reports)
    worst = max(wrong, key=lambda report: severity(report.category, report.tolerance_used))
    return Comparison(accepted=False, category=worst.category, message=worst.message, leaves=reports)
