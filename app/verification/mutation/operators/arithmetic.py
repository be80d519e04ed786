"""Mutants of operations and their operands: operators, numbers and variables."""

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
    """Replaces an operator, such as minus for plus, or removes a minus sign."""

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


class Operand(Operator):
    """Removes one side of an operation: `w` for `w * x`."""

    name = "operand left out"
    remedy = "add a case in which the part that is left out changes the answer"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.BinaryOperation):
            return
        yield grouped(node.left)
        # Authors and students do not write an exponent in place of its power.
        if not isinstance(node.operator, cst.Power):
            yield grouped(node.right)


_OTHER_TRUTH = {"True": "False", "False": "True"}
_SLIGHTLY_MORE = 1.1
# Arguments that only switch checks on or off.
_CHECKING_ARGUMENTS = frozenset({"strict", "check_rep", "donate", "donate_argnums"})


class Constant(Operator):
    """Changes a number by 1, by a tenth or to 0, and swaps True and False."""

    name = "constant"
    remedy = "add a case whose answer depends on this number"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        parent = tree.parent(node)
        if isinstance(parent, cst.Arg) and parent.keyword is not None and parent.keyword.value in _CHECKING_ARGUMENTS:
            return
        if isinstance(node, cst.Integer):
            yield from (cst.Integer(str(value)) for value in _near_integers(node.evaluated_value))
        elif isinstance(node, cst.Float):
            yield from (cst.Float(repr(value)) for value in _other_floats(node.evaluated_value))
        elif isinstance(node, cst.Name) and node.value in _OTHER_TRUTH:
            yield cst.Name(_OTHER_TRUTH[node.value])


def _near_integers(value: int) -> tuple[int, ...]:
    """A literal has no sign: −1 is a unary minus on 1."""
    return (1,) if value == 0 else (value + 1, value - 1)


def _other_floats(value: float) -> tuple[float, ...]:
    return (1.0,) if value == 0 else (_SLIGHTLY_MORE * value, 0.0)


class Variable(Operator):
    """Uses another variable with a similar name: `x_a` for `x_b`, `y_full` for `x_full`."""

    name = "variable"
    remedy = "add a case in which the two variables hold different values"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Name) or not _is_read(node, tree):
            return
        function = tree.function(node)
        if function is None:
            return
        for other in sorted(tree.bound(function)):
            if other != node.value and _is_alike(other, node.value):
                yield node.with_changes(value=other)


def _is_alike(first: str, second: str) -> bool:
    """Whether two names differ in one part, as `grads_a` and `grads_b`, or are single letters, as `x` and `y`."""
    one, two = first.split("_"), second.split("_")
    if len(one) != len(two):
        return False
    same = sum(a == b for a, b in zip(one, two, strict=True))
    return same == len(one) - 1 and (len(one) > 1 or len(first) == len(second) == 1)


def _is_read(node: cst.Name, tree: Tree) -> bool:
    parent = tree.parent(node)
    if isinstance(parent, cst.Attribute):
        return parent.value is node
    if isinstance(parent, cst.Arg | cst.AnnAssign):
        return parent.value is node
    return not isinstance(
        parent, cst.Param | cst.AssignTarget | cst.FunctionDef | cst.Element | cst.For | cst.NamedExpr
    )
