"""Off by one: ranges, slices and indices."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, grouped, positional

ONE = cst.Integer("1")
_RANGES = frozenset({"range", "arange", "fori_loop"})


class Bound(Operator):
    name = "off by one"
    remedy = "add a case in which the first and the last element count, of a length that does not divide evenly"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Call) and called_name(node) in _RANGES:
            yield from _ranges(node)
        elif isinstance(node, cst.Slice):
            yield from _slices(node)
        elif isinstance(node, cst.Index) and isinstance(node.value, cst.Name | cst.BinaryOperation):
            yield node.with_changes(value=_less(node.value))


def _ranges(call: cst.Call) -> Iterator[cst.CSTNode]:
    """Of `range(n)` and `range(start, stop, …)`: one element fewer at either end, and one more."""
    arguments, given = list(call.args), positional(call)[:2]
    if not given:
        return
    stop = len(given) - 1
    for value in (_less(given[stop].value), _more(given[stop].value)):
        changed = [*arguments]
        changed[stop] = given[stop].with_changes(value=value)
        yield call.with_changes(args=changed)
    if stop == 0:
        yield call.with_changes(args=[cst.Arg(ONE), *arguments])
    else:
        yield call.with_changes(args=[given[0].with_changes(value=_more(given[0].value)), *arguments[1:]])


def _slices(node: cst.Slice) -> Iterator[cst.CSTNode]:
    if node.lower is not None:
        yield node.with_changes(lower=_more(node.lower))
        yield node.with_changes(lower=None)
    if node.upper is not None:
        yield node.with_changes(upper=_less(node.upper))
        yield node.with_changes(upper=None)
    if node.lower is None and node.upper is None and node.step is None:
        yield node.with_changes(lower=ONE)


def _more(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Integer):
        return cst.Integer(str(value.evaluated_value + 1))
    return cst.BinaryOperation(grouped(value), cst.Add(), ONE)


def _less(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Integer) and value.evaluated_value > 0:
        return cst.Integer(str(value.evaluated_value - 1))
    return cst.BinaryOperation(grouped(value), cst.Subtract(), ONE)
