"""An example for every checker: options, and an expected leaf that it can judge."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import TypeAdapter

from app.catalog.rule_validation import AnyChecker
from app.judging.checker import Ask, Checker
from app.judging.comparison import Comparison, Rules, compare
from app.judging.leaf import Tree
from app.judging.tolerance_comparison import Tolerance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Example:
    options: dict[str, Any]
    expected: Tree


_RANDOM = np.random.default_rng(0)
_MATRIX = _RANDOM.normal(size=(6, 4)).astype(np.float32)

EXAMPLES: dict[str, Example] = {
    "closeness": Example(options={}, expected=_MATRIX),
    "exact": Example(options={}, expected=_MATRIX),
    "distribution": Example(options={"false_reject_rate": 0.01}, expected=_RANDOM.normal(size=(400, 2))),
    "property": Example(options={}, expected=_MATRIX),
    "gradient": Example(options={"relative": 1e-3}, expected=_MATRIX),
}


# The same checkers otherwise: other options, other kinds of leaves, single numbers.
_LABELS = np.arange(24).reshape(6, 4) % 5
VARIANTS: list[tuple[str, Example]] = [
    *EXAMPLES.items(),
    *((name, Example(options=EXAMPLES[name].options, expected=0.75)) for name in ("closeness", "exact")),
    *((name, Example(options=EXAMPLES[name].options, expected=0.75)) for name in ("gradient", "property")),
    ("closeness", Example(options={}, expected=_LABELS)),
    ("exact", Example(options={}, expected=_LABELS.astype(np.uint8))),
    ("exact", Example(options={}, expected=_MATRIX * (1 + 1j))),
    ("gradient", Example(options={"relative": 0.5, "absolute": 0.01}, expected=_MATRIX * (1 + 1j))),
    ("distribution", Example(options={"false_reject_rate": 0.01}, expected=_RANDOM.normal(size=500))),
    ("distribution", Example(options={"false_reject_rate": 0.01}, expected=_RANDOM.integers(0, 6, 500))),
    ("property", Example(options={"shape": "any"}, expected=_MATRIX)),
]


def rules(checkers: dict[str, dict[str, Any]], **others: Any) -> Rules:
    """Raises ValidationError for options that no author may write."""
    adapter: TypeAdapter[dict[str, Checker]] = TypeAdapter(dict[str, AnyChecker])
    return Rules(checkers=adapter.validate_python(checkers), **others)


def judge(
    checker: str, answer: Tree, expected: Tree, tolerance: tuple[float, float] | None = None, **options: Any
) -> Comparison:
    """The whole output by one checker. `tolerance`: (rtol, atol), for integers too."""
    margins = {} if tolerance is None else {"*": Tolerance(rtol=tolerance[0], atol=tolerance[1])}
    return compare(answer, expected, rules({"*": {"checker": checker, **options}}, leaves=margins))


def same_sum(answer: Any, expected: Any) -> Ask:
    """An author's code whose property is a sum."""
    return lambda: bool(np.isclose(np.sum(answer), np.sum(expected)))
