"""Transposes and changes of shape left out."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, grouped, positional

_ATTRIBUTES = frozenset({"T", "mT", "H"})
_MODULES = frozenset({"np", "jnp", "numpy", "torch", "lax", "jax"})
_CALLS = frozenset("transpose swapaxes moveaxis permute t flip flipud fliplr roll squeeze".split())  # noqa: SIM905


class Transpose(Operator):
    name = "transpose left out"
    remedy = (
        "add a case with a square and asymmetric array here, so that the shapes fit either way and the values do not"
    )

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Attribute) and node.attr.value in _ATTRIBUTES:
            yield grouped(node.value)
        elif isinstance(node, cst.Call) and called_name(node) in _CALLS and isinstance(node.func, cst.Attribute):
            owner = node.func.value
            is_function = isinstance(owner, cst.Name) and owner.value in _MODULES
            if not is_function:
                yield grouped(owner)
            elif given := positional(node):
                yield grouped(given[0].value)
