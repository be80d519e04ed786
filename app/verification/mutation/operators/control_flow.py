"""Mutants of control flow: conditions, comparisons, Boolean operators, and statements left out."""

from collections.abc import Iterator
from functools import lru_cache
from math import inf

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, grouped

_CONDITIONAL = (cst.If, cst.IfExp, cst.CompIf)


class Condition(Operator):
    """Negates a condition, or makes it always or never hold."""

    name = "condition"
    remedy = "add a case that takes the other branch here, and whose answer shows it"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.While):
            yield node.with_changes(test=_negated(node.test))
        elif isinstance(node, _CONDITIONAL):
            # The operator `Comparison` negates comparisons.
            if not isinstance(node.test, cst.Comparison):
                yield node.with_changes(test=_negated(node.test))
            yield node.with_changes(test=cst.Name("True"))
            yield node.with_changes(test=cst.Name("False"))


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    brackets = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
    inner = test if test.lpar else test.with_changes(**brackets)
    return cst.UnaryOperation(cst.Not(), inner)


_OTHER_COMPARISONS: dict[type[cst.CSTNode], tuple[type[cst.BaseCompOp], ...]] = {
    cst.LessThan: (cst.LessThanEqual, cst.GreaterThanEqual),
    cst.LessThanEqual: (cst.LessThan, cst.GreaterThan),
    cst.GreaterThan: (cst.GreaterThanEqual, cst.LessThanEqual),
    cst.GreaterThanEqual: (cst.GreaterThan, cst.LessThan),
    cst.Equal: (cst.NotEqual,),
    cst.NotEqual: (cst.Equal,),
    cst.Is: (cst.IsNot,),
    cst.IsNot: (cst.Is,),
    cst.In: (cst.NotIn,),
    cst.NotIn: (cst.In,),
}


class Comparison(Operator):
    """Compares with another bound (`<=` for `<`), or the other way round."""

    name = "comparison"
    remedy = "add a case with a value at the edge of this comparison, and one on each side of it"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.ComparisonTarget):
            yield from (
                node.with_changes(operator=other()) for other in _OTHER_COMPARISONS.get(type(node.operator), ())
            )


class Boolean(Operator):
    """Replaces `and` by `or`, keeps one side alone, or removes `not`."""

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


_DROPPED = cst.Pass()


class Statement(Operator):
    """Removes a statement: a call for its effect, an addition to a total, a second assignment to a name."""

    name = "statement left out"
    remedy = "add a case whose answer shows what this statement does"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if (
            _is_call(node)
            or isinstance(node, cst.AugAssign)
            or (isinstance(node, cst.Assign) and _is_rebinding(node, tree))
        ):
            yield _DROPPED
        elif isinstance(node, cst.Break):
            yield cst.Continue()
        elif isinstance(node, cst.Continue):
            yield cst.Break()


def _is_call(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, cst.Call)


def _is_rebinding(node: cst.Assign, tree: Tree) -> bool:
    """Whether each name that it binds has a value already, so that the code still runs without it."""
    first = _first_bindings(tree, tree.function(node) or tree.module)
    names = [name.value for target in node.targets for name in _names(target.target)]
    return all(first.get(name, inf) < tree.line(node) for name in names)


@lru_cache(maxsize=1)  # without it, the mutants of 300 lines take 4.9 s in place of 3.1 s
def _first_bindings(tree: Tree, scope: cst.CSTNode) -> dict[str, float]:
    """Map each name of the function or module to the line that binds it first."""
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
