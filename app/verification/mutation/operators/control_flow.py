"""Mutants of control flow: conditions, comparisons, Boolean operators, and statements left out."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import inf

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Edit, Edits, Tree, assignments, parameters, target_names


class Condition(Operator):
    """Negates a condition, or makes it always or never hold."""

    name = "condition"
    remedy = "add a case that takes the other branch here, and whose answer shows it"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.While):
            yield _negated(node.test, tree)
            return
        conditions = [node.test] if isinstance(node, ast.If | ast.IfExp) else []
        for test in node.ifs if isinstance(node, ast.comprehension) else conditions:
            # The operator `Comparison` negates comparisons.
            if not isinstance(test, ast.Compare):
                yield _negated(test, tree)
            yield tree.replaced(test, "True")
            yield tree.replaced(test, "False")


def _negated(test: ast.expr, tree: Tree) -> Edits:
    return tree.replaced(test, f"not ({tree.text(test)})")


_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}


class Comparison(Operator):
    """Compares with another bound (`<=` for `<`), or the other way round."""

    name = "comparison"
    remedy = "add a case with a value at the edge of this comparison, and one on each side of it"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Compare):
            for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
                for other in _OTHER_COMPARISONS[type(operator)]:
                    yield (tree.operator_between(left, _SYMBOLS[type(operator)], right, other),)


class Boolean(Operator):
    """Replaces `and` by `or`, keeps one side alone, or removes `not`."""

    name = "and, or, not"
    remedy = "add cases in which only one of these conditions holds"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.BoolOp):
            symbol, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            gaps = [tree.operator_between(left, symbol, right, other) for left, right in pairwise(node.values)]
            yield from ((gap,) for gap in gaps)
            begin, ends = tree.start(node), [*(gap.start for gap in gaps[1:]), tree.end(node)]
            for gap, right, end in zip(gaps, node.values[1:], ends, strict=True):
                yield (Edit(gap.start, end, ""),)
                yield (Edit(begin, end, f"{tree.grouped(right)} "),)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield tree.replaced(node, tree.grouped(node.operand))


class Statement(Operator):
    """Removes a statement: a call for its effect, an addition to a total, a second assignment to a name."""

    name = "statement left out"
    remedy = "add a case whose answer shows what this statement does"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Expr | ast.AugAssign | ast.Assign) and _may_go(node, tree):
            yield tree.replaced(node, "pass")
        elif isinstance(node, ast.Break):
            yield tree.replaced(node, "continue")
        elif isinstance(node, ast.Continue):
            yield tree.replaced(node, "break")


def _may_go(node: ast.Expr | ast.AugAssign | ast.Assign, tree: Tree) -> bool:
    """Whether the code still runs without it: each name that an assignment binds must have a value already."""
    if isinstance(node, ast.Assign):
        first = _first_bindings(tree.function(node) or tree.module)
        return all(first.get(name, inf) < node.lineno for name in target_names(node))
    return isinstance(node, ast.AugAssign) or isinstance(node.value, ast.Call)


@lru_cache(maxsize=1)
def _first_bindings(scope: ast.FunctionDef | ast.Module) -> dict[str, float]:
    """Map each name of the function or module to the line that binds it first."""
    first: dict[str, float] = {}
    if isinstance(scope, ast.FunctionDef):
        first = {each.arg: 0 for each in parameters(scope)}
    for assignment in assignments(scope):
        for name in target_names(assignment):
            first.setdefault(name, assignment.lineno)
    return first
