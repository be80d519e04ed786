"""`up_to_permutation`: within the tolerance, where what lies along one axis may come in another order.

With `axis: 0` the rows may be permuted, with `axis: 1` the columns. The leaves of a `group` must be right under one
permutation, and have as many places along their axes: eigenvalues with the columns of their vectors, the weights of a
mixture with its means. A leaf with `labels: true` holds, for each point, a place along the axis of the others (its
cluster, say), and its numbers are renamed by that permutation. Without such others any renaming will do that makes one
label of one, so that it is the partition that counts. Negative labels, such as −1 for noise, stand for themselves.

The places are paired as `set` pairs rows, with the same caps. In a group of several leaves these hold for all of them
together, and where there is one number at each place too.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from app.judging.arrangement import Arrangement, Rows, arrange, graph_fault, needs_graph, rows_of, shape_fault
from app.judging.by_element import find_elements, worst_text
from app.judging.by_row import find_rows
from app.judging.checker import CheckerUnfit, DtypePolicy, Finding, JointChecker, Objection, Shape, Task
from app.judging.elements import measure
from app.judging.leaf import Array, Kind, kind_of, read_leaf
from app.judging.numeric import np
from app.judging.options import Integer
from app.judging.relabelling import NO_LABEL, labels_of, may_rename, rename, rename_best
from app.judging.tolerance import EXACT


class UpToPermutation(JointChecker):
    """Within the tolerance in some order along `axis`, or with labels renamed accordingly."""

    checker: Literal["up_to_permutation"]
    axis: Annotated[Integer, Field(ge=-32, le=31)] | None = None
    labels: Annotated[bool, Strict()] = False

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex"})
    has_tolerance: ClassVar[bool] = True
    dtype_policy: ClassVar[DtypePolicy] = "kind"

    @property
    def rule(self) -> str:
        same = f", the same as in the other leaves of {self.group}" if self.group else ""
        if self.labels:
            return f"the expected labels up to their names{same}"
        return f"within the tolerance up to the order along axis {self.axis}{same}"

    def find_contradiction(self) -> Objection | None:
        if self.axis is None and not self.labels:
            return Objection(key="axis", message="is missing", remedy="add `axis: 0`, or `labels: true` for labels")
        if self.axis is not None and self.labels:
            return Objection(key="axis", message="is given for labels", remedy="remove it: labels count along no axis")
        return None

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if self.labels and kind_of(dtype) != "int":
            return Objection(message=f"is {dtype}, but labels are integers", remedy="remove `labels: true`")
        if shape is not None and self.axis is not None and self.axis not in range(-len(shape), len(shape)):
            message = f"is {self.axis}, but the leaf has {len(shape)} dimensions"
            return Objection(key="axis", message=message, remedy="axes count from 0, or from the last with -1")
        if self.axis is not None and (fault := shape_fault(kind_of(dtype), shape, self.axis)):
            return Objection(message=fault, remedy="return less, or in an order that the statement names")
        return super().find_unfit(dtype, shape)

    def place(self, task: Task) -> int:
        """The axis counted from 0."""
        return (self.axis or 0) % task.expected.array.ndim

    @classmethod
    def check_together(cls, members: Sequence[tuple[Any, Task]]) -> list[Finding]:
        placed = [(checker.place(task), task) for checker, task in members if not checker.labels]
        labelled = [task for checker, task in members if checker.labels]
        if not placed:
            return _find_partition(labelled)
        arrangement = _arrange(placed, labelled)
        new_names = np.argsort(arrangement.order)
        return [
            _find_labels(task, rename(labels_of(task.answer.array), new_names))
            if checker.labels
            else find_rows(task, checker.place(task), arrangement)
            for checker, task in members
        ]


def _arrange(placed: Sequence[tuple[int, Task]], labelled: Sequence[Task]) -> Arrangement:
    """An order that is right for all leaves; or else one that is best for those with an axis."""
    leaves = [_rows(axis, task) for axis, task in placed]
    names = _common_count(placed, leaves)
    width = sum(rows.expected.shape[1] for rows in leaves)
    in_graph = len(leaves) > 1 or labelled or needs_graph(leaves[0].kinds[1], width, leaves[0].tolerance)
    if in_graph and (fault := graph_fault(names, max(width, 1))):
        raise CheckerUnfit(f"up_to_permutation is for {placed[0][1].place}, and that {fault}")
    if not labelled:
        return arrange(leaves)
    may_pair = np.logical_and.reduce([_renamings(task, names) for task in labelled])
    arrangement = arrange(leaves, may_pair)
    return arrangement if arrangement.is_matched.all() else arrange(leaves)


def _rows(axis: int, task: Task) -> Rows:
    return Rows(
        answer=rows_of(task.answer.array, axis),
        expected=rows_of(task.expected.array, axis),
        kinds=(task.answer.kind, task.expected.kind),
        tolerance=task.tolerance,
    )


def _common_count(placed: Sequence[tuple[int, Task]], leaves: Sequence[Rows]) -> int:
    counts = [len(rows.expected) for rows in leaves]
    if len(set(counts)) > 1:
        each = ", ".join(f"{task.place}: {count}" for (_, task), count in zip(placed, counts, strict=True))
        raise CheckerUnfit(
            f"up_to_permutation is for a group of leaves with as many places each, and these have {each}"
        )
    return counts[0]


def _renamings(task: Task, names: int) -> Array:
    expected = _expected_labels(task)
    if expected.max(initial=-1) >= names:
        message = f"holds the label {expected.max()}, but the group has places 0 to {names - 1}"
        raise CheckerUnfit(f"up_to_permutation is for {task.place}, and that {message}")
    return may_rename(labels_of(task.answer.array), expected, names)


def _find_partition(labelled: Sequence[Task]) -> list[Finding]:
    """Leaves of labels alone: one renaming for all of them."""
    expected = np.concatenate([_expected_labels(task) for task in labelled])
    renamed = rename_best(np.concatenate([labels_of(task.answer.array) for task in labelled]), expected)
    ends = np.cumsum([task.expected.array.size for task in labelled])[:-1]
    return [_find_labels(task, part) for task, part in zip(labelled, np.split(renamed, ends), strict=True)]


def _find_labels(task: Task, renamed: Array) -> Finding:
    arranged = renamed.reshape(task.expected.shape)
    found = find_elements(task, measure(read_leaf(arranged), task.expected, EXACT), arranged)
    if found.category is None:
        return found
    count = f"{found.outside} of {task.expected.array.size} labels differ, however they are renamed"
    worst = worst_text(found, gap=lambda _: "")
    return replace(found, message=f"{task.subject}: {count}; renamed as well as can be, {worst}")


def _expected_labels(task: Task) -> Array:
    labels = labels_of(task.expected.array)
    if (labels == NO_LABEL).any():
        raise CheckerUnfit(f"up_to_permutation is for {task.place}, and that holds a label beyond 63 bits")
    return labels
