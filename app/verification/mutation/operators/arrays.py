"""Mutants of arrays: transposes, axes, and ranges or slices that are off by one."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, grouped, positional, text_of

_TRANSPOSES = frozenset({"T", "mT", "H"})
_MODULES = frozenset({"np", "jnp", "numpy", "torch", "lax", "jax"})
_RESHAPING = frozenset("transpose swapaxes moveaxis permute t flip flipud fliplr roll squeeze".split())  # noqa: SIM905


class Transpose(Operator):
    """Removes a transpose, flip or other change of axes."""

    name = "transpose left out"
    remedy = (
        "add a case with a square, asymmetric array here: with and without the transpose, the shapes are then valid "
        "but the values differ"
    )

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Attribute) and node.attr.value in _TRANSPOSES:
            yield grouped(node.value)
        elif isinstance(node, cst.Call) and called_name(node) in _RESHAPING and isinstance(node.func, cst.Attribute):
            owner = node.func.value
            is_function = isinstance(owner, cst.Name) and owner.value in _MODULES
            if not is_function:
                yield grouped(owner)
            elif given := positional(node):
                yield grouped(given[0].value)


_AXIS_ARGUMENTS = frozenset({"axis", "dim", "axes", "dims"})
_OTHER_AXES: dict[str, tuple[str, ...]] = {"0": ("1", "-1"), "1": ("0",), "-1": ("0",), "2": ("1",), "-2": ("-1",)}
_KEEPDIMS = {"keepdims", "keepdim"}
# The axis is their second argument, or the first one if they are called as methods.
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "argmax", "argmin", "cumsum", "softmax", "log_softmax"})


class Axis(Operator):
    """Uses another axis: 0 for 1 and for −1, 1 for 0, or none. Negates `keepdims`."""

    name = "axis"
    remedy = "add a case whose axes have different sizes and different values"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Arg):
            return
        name = node.keyword.value if node.keyword is not None else ""
        text = text_of(node.value)
        if name in _AXIS_ARGUMENTS or (not name and self._is_axis(node, tree)):
            yield from (node.with_changes(value=cst.parse_expression(other)) for other in _OTHER_AXES.get(text, ()))
            yield node.with_changes(value=cst.Name("None"))
        elif name in _KEEPDIMS and text in ("True", "False"):
            yield node.with_changes(value=cst.Name("False" if text == "True" else "True"))

    def _is_axis(self, node: cst.Arg, tree: Tree) -> bool:
        call = tree.parent(node)
        if not isinstance(call, cst.Call) or called_name(call) not in _REDUCTIONS:
            return False
        return text_of(node.value) in _OTHER_AXES


_ONE = cst.Integer("1")
_RANGES = frozenset({"range", "arange", "fori_loop"})


class Bound(Operator):
    """Moves the ends of ranges and slices, and indices, by 1."""

    name = "off by one"
    remedy = "add a case whose first and last elements change the answer, with a length that does not divide evenly"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Call) and called_name(node) in _RANGES:
            yield from _ranges(node)
        elif isinstance(node, cst.Slice):
            yield from _slices(node)
        elif isinstance(node, cst.Index) and isinstance(node.value, cst.Name | cst.BinaryOperation):
            yield node.with_changes(value=_less(node.value))


def _ranges(call: cst.Call) -> Iterator[cst.CSTNode]:
    """Yield `range(n)` or `range(start, stop, …)` with one element fewer at either end, and with one more."""
    arguments, given = list(call.args), positional(call)[:2]
    if not given:
        return
    stop = len(given) - 1
    for value in (_less(given[stop].value), _more(given[stop].value)):
        changed = [*arguments]
        changed[stop] = given[stop].with_changes(value=value)
        yield call.with_changes(args=changed)
    if stop == 0:
        yield call.with_changes(args=[cst.Arg(_ONE), *arguments])
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
        yield node.with_changes(lower=_ONE)


def _more(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Integer):
        return cst.Integer(str(value.evaluated_value + 1))
    return cst.BinaryOperation(grouped(value), cst.Add(), _ONE)


def _less(value: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(value, cst.Integer) and value.evaluated_value > 0:
        return cst.Integer(str(value.evaluated_value - 1))
    return cst.BinaryOperation(grouped(value), cst.Subtract(), _ONE)
