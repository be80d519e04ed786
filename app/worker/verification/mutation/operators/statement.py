"""Statements left out: calls for their effect, additions to a total, new values of a name that has one already."""

from collections.abc import Iterator

import libcst as cst

from app.worker.verification.mutation.operator import Operator
from app.worker.verification.mutation.tree import Tree

_DROPPED = cst.Pass()


class Statement(Operator):
    name = "statement left out"
    remedy = "add a case whose answer shows what this statement does"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if (
            _is_call(node)
            or isinstance(node, cst.AugAssign)
            or (isinstance(node, cst.Assign) and _is_again(node, tree))
        ):
            yield _DROPPED
        elif isinstance(node, cst.Break):
            yield cst.Continue()
        elif isinstance(node, cst.Continue):
            yield cst.Break()


def _is_call(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.Call)


def _is_again(node: cst.Assign, tree: Tree) -> bool:
    """Whether all that it binds is bound before, or else every use would fail; parts of an object always are."""
    known = _bound_before(node, tree)
    for target in node.targets:
        elements = target.target.elements if isinstance(target.target, cst.Tuple | cst.List) else ()
        for part in [element.value for element in elements] or [target.target]:
            if isinstance(part, cst.Name) and part.value not in known:
                return False
    return True


def _bound_before(node: cst.Assign, tree: Tree) -> set[str]:
    function = tree.function(node)
    scope: cst.CSTNode = function or tree.module
    known = {name.value for name in _parameters(function)} if function else set()
    for other in _assignments(scope):
        if other is not node and tree.line(other) < tree.line(node):
            known |= {part.value for target in other.targets for part in _names(target.target)}
    return known


def _parameters(function: cst.FunctionDef) -> Iterator[cst.Name]:
    every = function.params
    return (parameter.name for parameter in (*every.posonly_params, *every.params, *every.kwonly_params))


def _assignments(node: cst.CSTNode) -> Iterator[cst.Assign]:
    for child in node.children:
        if isinstance(child, cst.Assign):
            yield child
        elif not isinstance(child, cst.FunctionDef | cst.ClassDef):
            yield from _assignments(child)


def _names(target: cst.BaseExpression) -> Iterator[cst.Name]:
    if isinstance(target, cst.Name):
        yield target
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from _names(element.value)
