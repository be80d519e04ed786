"""Statements left out: calls for their effect, additions to a total, new values of a name that has one already."""

from collections.abc import Iterator
from functools import lru_cache
from math import inf

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree

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
    first = _first_lines(tree, tree.function(node) or tree.module)
    names = [name.value for target in node.targets for name in _names(target.target)]
    return all(first.get(name, inf) < tree.line(node) for name in names)


@lru_cache(maxsize=1)
def _first_lines(tree: Tree, scope: cst.CSTNode) -> dict[str, float]:
    """Where each name of the function, or of the module, is bound first."""
    first: dict[str, float] = {}
    if isinstance(scope, cst.FunctionDef):
        first = {name.value: 0 for name in _parameters(scope)}
    for assignment in _assignments(scope):
        for target in assignment.targets:
            for name in _names(target.target):
                first.setdefault(name.value, tree.line(assignment))
    return first


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
