"""Other numbers: one more and one less, a tenth more, nothing; True for False."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree

OTHER = {"True": "False", "False": "True"}
TENTH = 1.1
# Arguments that only decide whether a mistake is noticed.
_CHECKS = frozenset({"strict", "check_rep", "donate", "donate_argnums"})


class Constant(Operator):
    name = "constant"
    remedy = "add a case whose answer depends on this number"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        parent = tree.parent(node)
        if isinstance(parent, cst.Arg) and parent.keyword is not None and parent.keyword.value in _CHECKS:
            return
        if isinstance(node, cst.Integer):
            yield from (cst.Integer(str(value)) for value in _near(node.evaluated_value))
        elif isinstance(node, cst.Float):
            yield from (cst.Float(repr(value)) for value in _far(node.evaluated_value))
        elif isinstance(node, cst.Name) and node.value in OTHER:
            yield cst.Name(OTHER[node.value])


def _near(value: int) -> tuple[int, ...]:
    """A literal has no sign: −1 is an operation on 1."""
    return (1,) if value == 0 else (value + 1, value - 1)


def _far(value: float) -> tuple[float, ...]:
    return (1.0,) if value == 0 else (TENTH * value, 0.0)
