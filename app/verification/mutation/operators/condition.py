"""Conditions negated, always met, never met."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree

_MAY_BE_TRUE = (cst.If, cst.IfExp, cst.CompIf)


class Condition(Operator):
    name = "condition"
    remedy = "add a case that goes the other way here, and whose answer shows it"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.While):
            yield node.with_changes(test=_negated(node.test))
        elif isinstance(node, _MAY_BE_TRUE):
            # A comparison has its opposite in `comparison.py`.
            if not isinstance(node.test, cst.Comparison):
                yield node.with_changes(test=_negated(node.test))
            yield node.with_changes(test=cst.Name("True"))
            yield node.with_changes(test=cst.Name("False"))


def _negated(test: cst.BaseExpression) -> cst.BaseExpression:
    brackets = {"lpar": [cst.LeftParen()], "rpar": [cst.RightParen()]}
    inner = test if test.lpar else test.with_changes(**brackets)
    return cst.UnaryOperation(cst.Not(), inner)
