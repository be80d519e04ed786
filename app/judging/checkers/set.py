"""`set`: the rows along axis 0 are the expected ones within the tolerance, in any order.

It is a multiset: a row that is expected twice must occur twice. Rows are correct if they can be paired one to one, each
pair within the tolerance. If rows are close to each other, any valid pairing is enough. NaN pairs with NaN, and inf
with inf of the same sign.

The number of rows is unlimited for rows of one real number, and for integer rows without a tolerance. Other leaves may
have at most 2,048 rows, and rows² · length may be at most 2**25.
"""

from typing import ClassVar, Literal

from app.judging.checker import Checker, CheckerUnfit, DtypePolicy, Finding, Objection, Shape, Task
from app.judging.leaf import Kind, kind_of
from app.judging.row_matching import Rows, arrange, find_rows, graph_fault, needs_graph, rows_of, shape_fault


class Set(Checker):
    """The expected rows in any order, each as often as expected."""

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
