"""What is left out of training loops: a gradient that is not cleared, clipped, scaled or stopped, a step not taken."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, grouped, positional

_STATEMENTS = frozenset(
    """
    zero_grad step backward clip_grad_norm_ clip_grad_value_ unscale_ update eval train requires_grad_ detach_ zero_
    load_state_dict
    """.split()  # noqa: SIM905
)
# Of these the first argument is what they are called with, or else the object that they belong to.
_WRAPPERS = frozenset(
    """
    stop_gradient detach clip clamp clip_by_global_norm scale unscale dropout normalize astype float half bfloat16
    to tanh relu sigmoid softmax log_softmax gelu exp log sqrt abs square
    """.split()  # noqa: SIM905
)


class Training(Operator):
    name = "training step"
    remedy = "add a case of several steps, in which gradients are large enough for this call to matter"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            if called_name(node.value) in _STATEMENTS:
                yield cst.Pass()
        elif isinstance(node, cst.Call) and called_name(node) in _WRAPPERS:
            if given := positional(node):
                yield grouped(given[0].value)
            elif isinstance(node.func, cst.Attribute):
                yield grouped(node.func.value)
        elif isinstance(node, cst.With):
            yield cst.If(cst.Name("True"), node.body)
