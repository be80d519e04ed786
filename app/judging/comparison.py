"""Is the answer right? The rules, in the order in which they are applied.

1. Structure: the same keys, the same number of items (lists and tuples may stand for each other).
2. Shape: exactly the same; nothing broadcasts.
3. dtype, by the problem's policy: `exact`, the same `kind` (bool, int, float, complex), or `any` number.
4. NaN where NaN is expected and nowhere else, inf where inf of the same sign is.
5. What the leaf's checker says; where none is named, `closeness`: |answer − expected| ≤ atol + rtol · |expected|.

A rule is applied to every leaf before the next one is. Integers, bool and text are exact; a tolerance of the whole
output does not touch them, since 0.01 % of a token's number is another token. An integer leaf gets a tolerance only
when the problem names its path. An expected output with nothing in it is no proof of anything, and never a pass.
A checker may be stricter about the dtype or lift the rule of the shape, and says so in its file.
"""

from dataclasses import dataclass

from app.judging.checker import Ask, nobody_to_ask
from app.judging.examination import LeafReport, examine
from app.judging.leaf import Tree
from app.judging.rules import Rules
from app.judging.severity import severity
from app.judging.structure import StructureDiffers, describe, holds_something, pair_leaves

__all__ = ["Comparison", "LeafReport", "Rules", "compare"]

STRUCTURE, EMPTY = "structure differs", "empty output"
UNSUPPORTED = "unsupported output"  # said by the box, which could not turn the output into values


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`category` and `message` are those of the worst leaf (severity.py). `leaves` are in the output's order."""

    accepted: bool
    category: str | None
    message: str
    leaves: tuple[LeafReport, ...] = ()


def compare(answer: Tree, expected: Tree, rules: Rules, ask: Ask = nobody_to_ask) -> Comparison:
    """`ask` gives what the package's own code says of the answer, if it has such. Raises CheckerUnfit."""
    if not holds_something(expected):
        return _rejected(EMPTY, "the expected output of this case is empty, so nothing can pass it; tell its author")
    if not holds_something(answer):
        return _rejected(EMPTY, _nothing(answer, expected))
    pairs = pair_leaves(answer, expected)
    if isinstance(pairs, StructureDiffers):
        return _rejected(STRUCTURE, pairs.message)
    return _conclude(examine(pairs, rules, ask))


def _rejected(category: str, message: str) -> Comparison:
    return Comparison(accepted=False, category=category, message=message)


def _nothing(answer: Tree, expected: Tree) -> str:
    if answer is None:
        return f"your output is None; expected {describe(expected)} (does your function return its result?)"
    return f"your output {'holds no value' if answer else f'is {describe(answer)}'}; expected {describe(expected)}"


def _conclude(reports: tuple[LeafReport, ...]) -> Comparison:
    wrong = [report for report in reports if report.category is not None]
    if not wrong:
        return Comparison(accepted=True, category=None, message="your output is right", leaves=reports)
    worst = max(wrong, key=lambda report: severity(report.category, report.tolerance_used))
    return Comparison(accepted=False, category=worst.category, message=worst.message, leaves=reports)
