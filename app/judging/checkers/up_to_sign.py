"""`up_to_sign`: within the tolerance, where each part of the leaf may have the opposite sign.

A part lies at one index of each axis in `axes`: with `axes: [1]` each column of a matrix, with `axes: [0, 2]` each
column of each matrix in a batch, and without axes the whole leaf. A part is correct if it is within the tolerance,
unchanged or negated. Eigenvectors, singular vectors and principal components are unique only up to a sign. For repeated
eigenvalues they are not even that, so the inputs should avoid those.

In a `group`, the parts at the same index of all leaves must have the same sign: U and V of a singular value
decomposition flip in pairs, or their product changes. Only for real floats: a complex eigenvector has a free phase.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from app.judging.checker import (
    VALUES,
    CheckerUnfit,
    Finding,
    JointChecker,
    Objection,
    Shape,
    Task,
    find_elements,
    worst_text,
)
from app.judging.leaf import Array, Kind, read_leaf
from app.judging.numeric import np
from app.judging.options import Integer
from app.judging.tolerance_comparison import measure, within


class UpToSign(JointChecker):
    """Within the tolerance, each part at an index of `axes` unchanged or negated."""

    checker: Literal["up_to_sign"]
    axes: Annotated[tuple[Annotated[Integer, Field(ge=-32, le=31)], ...], Field(max_length=8)] = ()

    kinds: ClassVar[frozenset[Kind]] = frozenset({"float"})
    has_tolerance: ClassVar[bool] = True

    @property
    def rule(self) -> str:
        part = "as a whole" if not self.axes else f"for each index of axis {' and '.join(map(str, self.axes))}"
        return f"within the tolerance; it may have the opposite sign, {part}"

    def find_contradiction(self) -> Objection | None:
        if len(set(self.axes)) < len(self.axes):
            return Objection(key="axes", message=f"is {list(self.axes)}", remedy="name each axis once")
        return None

    def find_unfit_shape(self, shape: Shape) -> Objection | None:
        known = range(-len(shape), len(shape))
        if any(axis not in known for axis in self.axes):
            message = f"is {list(self.axes)}, but the leaf has {len(shape)} dimensions"
            return Objection(key="axes", message=message, remedy="axes count from 0, or from the last with -1")
        if len(self.places(len(shape))) < len(self.axes):
            return Objection(key="axes", message=f"is {list(self.axes)}", remedy="name each axis once")
        return None

    def places(self, dimensions: int) -> tuple[int, ...]:
        """Return the axes counted from 0, in order."""
        return tuple(sorted({axis % dimensions for axis in self.axes}))

    @classmethod
    def check_together(cls, members: Sequence[tuple[Any, Task]]) -> list[Finding]:
        halves = [_Halves.of(checker, task) for checker, task in members]
        if len({each.as_it_is.shape for each in halves}) > 1:
            counts = ", ".join(f"{each.task.place}: {each.as_it_is.shape}" for each in halves)
            raise CheckerUnfit(f"the leaves of an up_to_sign group need equally many signs; these have {counts}")
        as_it_is = np.logical_and.reduce([each.as_it_is for each in halves])
        negated = np.logical_and.reduce([each.negated for each in halves])
        nearer = as_it_is if (as_it_is | negated).all() else sum(each.products() for each in halves) >= 0
        is_flipped = np.where(as_it_is | negated, ~as_it_is, ~np.asarray(nearer))
        return [each.find(is_flipped) for each in halves]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Halves:
    """A leaf, with the parts that are correct unchanged and those that are correct negated."""

    task: Task
    places: tuple[int, ...]
    answer: Array
    as_it_is: Array
    negated: Array

    @classmethod
    def of(cls, checker: UpToSign, task: Task) -> Self:
        """Check both signs. An unsigned answer is converted to floats."""
        given = task.answer.array if task.answer.kind in ("float", "complex") else task.answer.array.astype(np.float64)
        places = checker.places(given.ndim)

        def parts_right(array: Array) -> Array:
            right = within(read_leaf(array), task.expected, task.tolerance)
            return np.asarray(right.all(axis=_others(places, right.ndim)))

        return cls(
            task=task, places=places, answer=given, as_it_is=parts_right(given), negated=parts_right(np.negative(given))
        )

    def products(self) -> Array:
        """Return numbers that are positive where a part is closer unchanged than negated."""
        given, wanted = self.answer.astype(np.complex128).real, self.task.expected.array.astype(np.float64)
        scale = max(np.nan_to_num(np.abs(array)).max(initial=1.0) for array in (given, wanted))
        products = np.nan_to_num(given / scale) * np.nan_to_num(wanted / scale)
        return np.asarray(products.sum(axis=_others(self.places, products.ndim)))

    def find(self, is_flipped: Array) -> Finding:
        flips = np.expand_dims(is_flipped, _others(self.places, self.answer.ndim))
        arranged = np.where(flips, np.negative(self.answer), self.answer)
        found = find_elements(
            self.task, measure(read_leaf(arranged), self.task.expected, self.task.tolerance), arranged
        )
        if found.category != VALUES:
            return found
        part = tuple((found.worst_index or ())[place] for place in self.places)
        return replace(found, message=self._sentence(part, found, bool(is_flipped[part])))

    def _sentence(self, part: tuple[int, ...], found: Finding, is_flipped: bool) -> str:
        name = f"{self.task.subject}: {_part_name(part, self.places, self.answer.ndim)}" if part else self.task.subject
        if self.as_it_is[part] or self.negated[part]:
            return f"{name} and the other leaves of its group have different signs flipped; flip them together"
        flipped = "with the sign flipped, " if is_flipped else ""
        return f"{name} differs under either sign; {flipped}{worst_text(found)}"


def _others(places: tuple[int, ...], dimensions: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(dimensions) if axis not in places)


def _part_name(part: tuple[int, ...], places: tuple[int, ...], dimensions: int) -> str:
    if dimensions == 2 and len(part) == 1:
        return f"{'row' if places == (0,) else 'column'} {part[0]}"
    if len(part) == 1:
        return f"the part at index {part[0]} of axis {places[0]}"
    return f"the part at index {part} of axes {places}"
