"""Comparisons that are off at their edge, or the other way round."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree

_OTHERS: dict[type[cst.CSTNode], tuple[type[cst.BaseCompOp], ...]] = {
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
    name = "comparison"
    remedy = "add a case with a value at the edge of this comparison, and one on each side of it"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.ComparisonTarget):
            yield from (node.with_changes(operator=other()) for other in _OTHERS.get(type(node.operator), ()))
