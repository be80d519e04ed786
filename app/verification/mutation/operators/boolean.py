"""`or` for `and`, one side of either alone, and no `not`."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, grouped


class Boolean(Operator):
    name = "and, or, not"
    remedy = "add cases in which only one of these conditions holds"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.BooleanOperation):
            other = cst.Or if isinstance(node.operator, cst.And) else cst.And
            yield node.with_changes(operator=other())
            yield grouped(node.left)
            yield grouped(node.right)
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
            yield grouped(node.expression)
