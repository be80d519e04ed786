"""Another variable in place of one of a like name: `x_a` for `x_b`, `y_full` for `x_full`."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree


class Variable(Operator):
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
    """Two parts that differ in one: `grads_a` and `grads_b`, or single letters, as `x` and `y`."""
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
