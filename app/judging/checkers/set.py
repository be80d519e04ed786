"""`set`: the rows along axis 0 are the expected ones within the tolerance, in any order.

A row that is expected twice must be given twice: it is a set with multiplicity, as large as the expected one. Rows are
right when they can be paired one to one, each pair within the tolerance. Where rows are so near to one another that
several pairings are thinkable, one that works is enough. NaN pairs with NaN, and inf with inf of its sign.

Rows of one real number, and rows of integers without a tolerance, may be as many as there are. Of others at most 2,048
are paired, and fewer when they are long: their number squared, times their length, may be 2**25.
"""

from typing import ClassVar, Literal

from app.judging.checker import Checker, CheckerUnfit, DtypePolicy, Finding, Objection, Shape, Task
from app.judging.leaf import Kind, kind_of
from app.judging.row_matching import Rows, arrange, find_rows, graph_fault, needs_graph, rows_of, shape_fault


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
        if fault := shape_fault(kind_of(dtype), shape, 0):
            return Objection(message=fault, remedy="return fewer rows, or in an order that the statement names")
        return super().find_unfit(dtype, shape)

    def check(self, task: Task) -> Finding:
        answer, expected = rows_of(task.answer.array, 0), rows_of(task.expected.array, 0)
        count, width = expected.shape
        if needs_graph(task.expected.kind, width, task.tolerance) and (fault := graph_fault(count, width)):
            raise CheckerUnfit(f"set can't judge {task.place}: it {fault}")
        kinds = (task.answer.kind, task.expected.kind)
        return find_rows(
            task, 0, arrange([Rows(answer=answer, expected=expected, kinds=kinds, tolerance=task.tolerance)])
        )
