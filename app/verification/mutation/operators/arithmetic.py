"""Mutants of operations and their operands: operators, numbers and variables."""

import ast
from collections.abc import Iterator

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Edits, Tree

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "/",
    ast.Mod: "//",
    ast.Pow: "*",
    ast.MatMult: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.LShift: ">>",
    ast.RShift: "<<",
}
_AUGMENTED: dict[type[ast.operator], str] = {ast.Add: "-=", ast.Sub: "+=", ast.Mult: "/=", ast.Div: "*="}


class Arithmetic(Operator):
    """Replaces an operator, such as minus for plus, or removes a minus sign."""

    name = "arithmetic"
    remedy = "add a case in which both sides of this operation are neither 0 nor 1, and of different size"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            symbol, other = _SYMBOLS[type(node.op)], _BINARY[type(node.op)]
            yield (tree.operator_between(node.left, symbol, node.right, other),)
        elif isinstance(node, ast.AugAssign):
            symbol = _SYMBOLS[type(node.op)] + "="
            if type(node.op) in _AUGMENTED:
                yield (tree.operator_between(node.target, symbol, node.value, _AUGMENTED[type(node.op)]),)
            yield (tree.operator_between(node.target, symbol, node.value, "="),)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            yield tree.replaced(node, tree.grouped(node.operand))


class Operand(Operator):
    """Removes one side of an operation: `w` for `w * x`."""

    name = "operand left out"
    remedy = "add a case in which the part that is left out changes the answer"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if not isinstance(node, ast.BinOp):
            return
        yield tree.replaced(node, tree.grouped(node.left))
        # Authors and students do not write an exponent in place of its power.
        if not isinstance(node.op, ast.Pow):
            yield tree.replaced(node, tree.grouped(node.right))


_SLIGHTLY_MORE = 1.1
# Arguments that only switch checks on or off.
_CHECKING_ARGUMENTS = frozenset({"strict", "check_rep", "donate", "donate_argnums"})


class Constant(Operator):
    """Changes a number by 1, by a tenth or to 0, and swaps True and False."""

    name = "constant"
    remedy = "add a case whose answer depends on this number"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        parent = tree.parent(node)
        if not isinstance(node, ast.Constant) or (
            isinstance(parent, ast.keyword) and parent.arg in _CHECKING_ARGUMENTS
        ):
            return
        if isinstance(node.value, bool):
            yield tree.replaced(node, str(not node.value))
        elif isinstance(node.value, int):
            yield from (tree.replaced(node, str(value)) for value in _near_integers(node.value))
        elif isinstance(node.value, float):
            yield from (tree.replaced(node, repr(value)) for value in _other_floats(node.value))


def _near_integers(value: int) -> tuple[int, ...]:
    """A literal has no sign: −1 is a unary minus on 1."""
    return (1,) if value == 0 else (value + 1, value - 1)


def _other_floats(value: float) -> tuple[float, ...]:
    return (1.0,) if value == 0 else (_SLIGHTLY_MORE * value, 0.0)


class Variable(Operator):
    """Uses another variable with a similar name: `x_a` for `x_b`, `y_full` for `x_full`."""

    name = "variable"
    remedy = "add a case in which the two variables hold different values"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if not isinstance(node, ast.Name) or not _is_read(node, tree):
            return
        function = tree.function(node)
        if function is None:
            return
        for other in sorted(tree.bound(function)):
            if other != node.id and _is_alike(other, node.id):
                yield tree.replaced(node, other)


def _is_alike(first: str, second: str) -> bool:
    """Whether two names differ in one part, as `grads_a` and `grads_b`, or are single letters, as `x` and `y`."""
    one, two = first.split("_"), second.split("_")
    if len(one) != len(two):
        return False
    same = sum(a == b for a, b in zip(one, two, strict=True))
    return same == len(one) - 1 and (len(one) > 1 or len(first) == len(second) == 1)


def _is_read(node: ast.Name, tree: Tree) -> bool:
    parent = tree.parent(node)
    if isinstance(parent, ast.Tuple):
        return isinstance(tree.parent(parent), ast.Subscript)
    if isinstance(parent, ast.Assign | ast.AnnAssign):
        return parent.value is node
    return not isinstance(parent, ast.arguments | ast.List | ast.Set | ast.For | ast.NamedExpr)
