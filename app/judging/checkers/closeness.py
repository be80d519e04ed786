"""`closeness`: every element within the leaf's tolerance. What judges a leaf for which nothing else is named.

|answer − expected| ≤ atol + rtol · |expected| in float64, as `torch.testing.assert_close` and
`numpy.testing.assert_allclose` have it. NaN and inf must stand where they are expected. Texts are exact.
"""

from typing import ClassVar, Literal

from app.judging.checker import Checker, Finding, Task
from app.judging.element_report import find_elements, find_text
from app.judging.elements import measure
from app.judging.leaf import Kind


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
