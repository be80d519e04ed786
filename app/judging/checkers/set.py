"""`set`: the rows along axis 0 are the expected ones within the tolerance, in any order.

A row that is expected twice must be given twice: it is a set with multiplicity, as large as the expected one. Rows are
right when they can be paired one to one, each pair within the tolerance. Where rows are so near to one another that
several pairings are thinkable, one that works is enough. NaN pairs with NaN, and inf with inf of its sign.

Rows of one real number, and rows of integers without a tolerance, may be as many as there are. Of others at most 2,048
are paired, and fewer when they are long: their number squared, times their length, may be 2**25.
"""

from dataclasses import replace
from math import prod
from typing import ClassVar, Literal

from app.judging.arrangement import Rows, arrange, graph_fault, needs_graph, rows_of
from app.judging.by_element import find_elements, worst_text
from app.judging.checker import Checker, CheckerUnfit, DtypePolicy, Finding, Objection, Shape, Task
from app.judging.elements import measure
from app.judging.leaf import Kind, kind_of, read_leaf
from app.judging.numeric import np


class Set(Checker):
    """The expected rows in any order, each as often as it is expected."""

    checker: Literal["set"]

    kinds: ClassVar[frozenset[Kind]] = frozenset({"bool", "int", "float", "complex"})
    has_tolerance: ClassVar[bool] = True
    dtype_policy: ClassVar[DtypePolicy] = "kind"

    @property
    def rule(self) -> str:
        return "the expected rows within the tolerance, in any order"

    def find_unfit(self, dtype: str, shape: Shape | None) -> Objection | None:
        if shape == ():
            return Objection(message="has no dimensions, but set judges rows", remedy="choose another checker")
        sizes = [size for size in shape or () if size is not None]
        is_long = shape is not None and len(sizes) == len(shape) and (len(sizes) > 1 or kind_of(dtype) == "complex")
        if is_long and kind_of(dtype) in ("float", "complex") and (fault := graph_fault(sizes[0], prod(sizes[1:]))):
            return Objection(message=fault, remedy="return fewer rows, or in an order that the statement names")
        return super().find_unfit(dtype, shape)

    def check(self, task: Task) -> Finding:
        answer, expected = rows_of(task.answer.array, 0), rows_of(task.expected.array, 0)
        count, width = expected.shape
        if needs_graph(task.expected.kind, width, task.tolerance) and (fault := graph_fault(count, width)):
            raise CheckerUnfit(f"set is for {task.place}, and that {fault}")
        kinds = (task.answer.kind, task.expected.kind)
        arrangement = arrange([Rows(answer=answer, expected=expected, kinds=kinds, tolerance=task.tolerance)])
        arranged = task.answer.array[arrangement.order]
        found = find_elements(task, measure(read_leaf(arranged), task.expected, task.tolerance), arranged)
        if found.category is None or found.worst_index is None:
            return found
        missing = int(np.count_nonzero(~arrangement.is_matched)) if arrangement.is_best else "some"
        rows = f"{missing} of {count} expected rows are not among yours"
        beside = f"row {found.worst_index[0]} beside one of yours that is left over: {worst_text(found)}"
        return replace(found, message=f"{task.subject}: {rows}; {beside}")
