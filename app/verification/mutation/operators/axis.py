"""Another axis: 0 for 1 and for −1, 1 for 0, none at all; and `keepdims` the other way."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, text_of

_NAMES = frozenset({"axis", "dim", "axes", "dims"})
_OTHERS: dict[str, tuple[str, ...]] = {"0": ("1", "-1"), "1": ("0",), "-1": ("0",), "2": ("1",), "-2": ("-1",)}
_KEEPING = {"keepdims", "keepdim"}
# Of these the first argument after the array, or of a method the first of all, is an axis.
_BY_POSITION = frozenset({"sum", "mean", "max", "min", "prod", "argmax", "argmin", "cumsum", "softmax", "log_softmax"})


class Axis(Operator):
    name = "axis"
    remedy = "add a case whose axes have different sizes and hold different values"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Arg):
            return
        name = node.keyword.value if node.keyword is not None else ""
        text = text_of(node.value)
        if name in _NAMES or (not name and self._is_axis(node, tree)):
            yield from (node.with_changes(value=cst.parse_expression(other)) for other in _OTHERS.get(text, ()))
            yield node.with_changes(value=cst.Name("None"))
        elif name in _KEEPING and text in ("True", "False"):
            yield node.with_changes(value=cst.Name("False" if text == "True" else "True"))

    def _is_axis(self, node: cst.Arg, tree: Tree) -> bool:
        call = tree.parent(node)
        if not isinstance(call, cst.Call) or called_name(call) not in _BY_POSITION:
            return False
        return text_of(node.value) in _OTHERS
