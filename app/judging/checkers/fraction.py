"""`fraction`: at least this share of the elements is within the leaf's tolerance, and the rest within a wider one.

For outputs in which single elements may legitimately differ: a rounded pixel at an edge, or the label of a point
between two classes. At most size − ⌈least · size⌉ elements may differ, in exact arithmetic; in a small leaf, none may.
NaN and inf must match everywhere. The wider tolerance `rest` is optional for integers and bool, where distance has no
meaning.
"""

from dataclasses import replace
from fractions import Fraction as Ratio
from math import ceil
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from app.judging.checker import Checker, Finding, Objection, Shape, Task, differing, find_elements, worst_text
from app.judging.leaf import Kind, kind_of
from app.judging.options import Margin, Number
from app.judging.tolerance_comparison import measure


class Fraction(Checker):
    """At least the share `least` of the elements within the tolerance, the rest within `rest`."""

    checker: Literal["fraction"]
    least: Annotated[Number, Field(gt=0, lt=1)]
    rest: Margin | None = None

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex"})
    has_tolerance: ClassVar[bool] = True

    @property
    def rule(self) -> str:
        rest = f", and the rest within rtol {self.rest.rtol:g}, atol {self.rest.atol:g}" if self.rest else ""
        return f"within the tolerance in at least {100 * self.least:g} % of its elements{rest}"

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if self.rest is None and kind_of(dtype) in ("float", "complex"):
            remedy = "add `rest: {rtol: …, atol: …}`, within which the others must be"
            return Objection(key="rest", message=f"is missing for {dtype}", remedy=remedy)
        return super().find_unfit(dtype, shape)

    def check(self, task: Task) -> Finding:
        distance = measure(task.answer, task.expected, task.tolerance)
        found = find_elements(task, distance)
        if distance.misplaced or not distance.outside:
            return found
        size = task.expected.array.size
        most = size - ceil(Ratio(repr(self.least)) * size)
        found = replace(found, tolerance_used=distance.outside / most if most else float("inf"))
        if distance.outside > most:
            few = f"{task.subject}: {differing(distance.outside, size)}; at most {most} may differ"
            return replace(found, message=f"{few}; {worst_text(found)}")
        return self._find_rest(task, found)

    def _find_rest(self, task: Task, found: Finding) -> Finding:
        """Check the wider tolerance. In `found`, few enough elements are outside the narrow one."""
        right = replace(found, category=None, message="")
        if self.rest is None:
            return right
        distance = measure(task.answer, task.expected, self.rest.tolerance)
        used = max(found.tolerance_used or 0.0, distance.used or 0.0)
        if not distance.outside:
            return replace(right, tolerance_used=used)
        wide = find_elements(task, distance)
        count = f"{distance.outside} of {task.expected.array.size} elements"
        far = f"{task.subject}: {count} are outside even the wider tolerance"
        return replace(wide, message=f"{far}; {worst_text(wide)}", tolerance_used=used)
