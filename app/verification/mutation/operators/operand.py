"""One side of an operation left out: `w` for `w * x`."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, grouped


class Operand(Operator):
    name = "operand left out"
    remedy = "add a case in which the part that is left out changes the answer"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.BinaryOperation):
            return
        yield grouped(node.left)
        # An exponent in place of a power is no slip that anybody makes.
        if not isinstance(node.operator, cst.Power):
            yield grouped(node.right)
