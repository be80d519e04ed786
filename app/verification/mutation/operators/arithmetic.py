"""Other arithmetic: minus for plus, divided for times, no sign."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, grouped

_BINARY: dict[type[cst.CSTNode], type[cst.BaseBinaryOp]] = {
    cst.Add: cst.Subtract,
    cst.Subtract: cst.Add,
    cst.Multiply: cst.Divide,
    cst.Divide: cst.Multiply,
    cst.FloorDivide: cst.Divide,
    cst.Modulo: cst.FloorDivide,
    cst.Power: cst.Multiply,
    cst.MatrixMultiply: cst.Multiply,
    cst.BitAnd: cst.BitOr,
    cst.BitOr: cst.BitAnd,
    cst.LeftShift: cst.RightShift,
    cst.RightShift: cst.LeftShift,
}
_AUGMENTED: dict[type[cst.CSTNode], type[cst.BaseAugOp]] = {
    cst.AddAssign: cst.SubtractAssign,
    cst.SubtractAssign: cst.AddAssign,
    cst.MultiplyAssign: cst.DivideAssign,
    cst.DivideAssign: cst.MultiplyAssign,
}


class Arithmetic(Operator):
    name = "arithmetic"
    remedy = "add a case in which both sides of this operation are neither 0 nor 1, and of different size"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.BinaryOperation) and type(node.operator) in _BINARY:
            yield node.with_changes(operator=_BINARY[type(node.operator)]())
        elif isinstance(node, cst.AugAssign):
            if type(node.operator) in _AUGMENTED:
                yield node.with_changes(operator=_AUGMENTED[type(node.operator)]())
            yield cst.Assign([cst.AssignTarget(node.target)], node.value)
        elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            yield grouped(node.expression)
