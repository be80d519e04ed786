"""Mutants of arrays: transposes, axes, and ranges or slices that are off by one."""

import ast
from collections.abc import Iterator

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Edits, Tree, called_name, positional

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

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Attribute) and node.attr in _TRANSPOSES:
            yield tree.replaced(node, tree.grouped(node.value))
        elif isinstance(node, ast.Call) and called_name(node) in _RESHAPING and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            is_function = isinstance(owner, ast.Name) and owner.id in _MODULES
            if not is_function:
                yield tree.replaced(node, tree.grouped(owner))
            elif given := positional(node):
                yield tree.replaced(node, tree.grouped(given[0]))


_AXIS_ARGUMENTS = frozenset({"axis", "dim", "axes", "dims"})
_OTHER_AXES: dict[str, tuple[str, ...]] = {"0": ("1", "-1"), "1": ("0",), "-1": ("0",), "2": ("1",), "-2": ("-1",)}
_KEEPDIMS = {"keepdims", "keepdim"}
# The axis is their second argument, or the first one if they are called as methods.
_REDUCTIONS = frozenset({"sum", "mean", "max", "min", "prod", "argmax", "argmin", "cumsum", "softmax", "log_softmax"})


class Axis(Operator):
    """Uses another axis: 0 for 1 and for −1, 1 for 0, or none. Negates `keepdims`."""

    name = "axis"
    remedy = "add a case whose axes have different sizes and different values"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Call) and called_name(node) in _REDUCTIONS:
            for value in node.args:
                if tree.text(value) in _OTHER_AXES:
                    yield from _other_axes(value, tree)
        elif isinstance(node, ast.keyword):
            if node.arg in _AXIS_ARGUMENTS:
                yield from _other_axes(node.value, tree)
            elif node.arg in _KEEPDIMS and isinstance(node.value, ast.Constant):
                yield tree.replaced(node.value, str(not node.value.value))


def _other_axes(value: ast.expr, tree: Tree) -> Iterator[Edits]:
    yield from (tree.replaced(value, other) for other in (*_OTHER_AXES.get(tree.text(value), ()), "None"))


_RANGES = frozenset({"range", "arange", "fori_loop"})


class Bound(Operator):
    """Moves the ends of ranges and slices, and indices, by 1."""

    name = "off by one"
    remedy = "add a case whose first and last elements change the answer, with a length that does not divide evenly"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Call) and called_name(node) in _RANGES:
            yield from _ranges(node, tree)
        elif isinstance(node, ast.Slice):
            yield from _slices(node, tree)
        elif isinstance(node, ast.Subscript):
            indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            for index in indices:
                if isinstance(index, ast.Name | ast.BinOp):
                    yield tree.replaced(index, _less(index, tree))


def _ranges(call: ast.Call, tree: Tree) -> Iterator[Edits]:
    """Yield `range(n)` or `range(start, stop, …)` with one element fewer at either end, and with one more."""
    given = positional(call)[:2]
    if not given:
        return
    first, stop = given[0], given[-1]
    yield tree.replaced(stop, _less(stop, tree))
    yield tree.replaced(stop, _more(stop, tree))
    if stop is first:
        yield tree.replaced(stop, f"1, {tree.text(stop)}")
    else:
        yield tree.replaced(first, _more(first, tree))


def _slices(node: ast.Slice, tree: Tree) -> Iterator[Edits]:
    if node.lower is not None:
        yield tree.replaced(node.lower, _more(node.lower, tree))
        yield tree.replaced(node.lower, _nothing(node.lower, tree))
    if node.upper is not None:
        yield tree.replaced(node.upper, _less(node.upper, tree))
        yield tree.replaced(node.upper, _nothing(node.upper, tree))
    if node.lower is None and node.upper is None and node.step is None:
        yield tree.replaced(node, "1:")


def _nothing(end: ast.expr, tree: Tree) -> str:
    return "None" if tree.is_bracketed(end) else ""


def _more(value: ast.expr, tree: Tree) -> str:
    if isinstance(value, ast.Constant) and type(value.value) is int:
        return str(value.value + 1)
    return f"{tree.grouped(value)} + 1"


def _less(value: ast.expr, tree: Tree) -> str:
    if isinstance(value, ast.Constant) and type(value.value) is int and value.value > 0:
        return str(value.value - 1)
    return f"{tree.grouped(value)} - 1"
