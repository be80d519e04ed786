"""`closeness`: every element is within the leaf's tolerance. This is the default checker.

The rule is |answer − expected| ≤ atol + rtol · |expected| in float64, as in `torch.testing.assert_close` and
`numpy.testing.assert_allclose`. NaN and inf must match. Texts must be equal.
"""

from typing import ClassVar, Literal

from app.judging.checker import Checker, Finding, Task, find_elements, find_text
from app.judging.leaf import Kind
from app.judging.tolerance_comparison import measure


class Closeness(Checker):
    """Every element within the tolerance."""

    checker: Literal["closeness"]

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex", "text"})
    any_int: ClassVar[bool] = True
    has_tolerance: ClassVar[bool] = True

    @property
    def rule(self) -> str:
        return "within the tolerance in every element"

    def check(self, task: Task) -> Finding:
        if task.expected.kind == "text":
            return find_text(task)
        return find_elements(task, measure(task.answer, task.expected, task.tolerance))
