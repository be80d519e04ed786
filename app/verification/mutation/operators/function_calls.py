"""Mutants of calls: training steps left out, other functions, other arguments."""

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Edit, Edits, Tree, called_name, positional

_TRAINING_CALLS = frozenset(
    """
    zero_grad step backward clip_grad_norm_ clip_grad_value_ unscale_ update eval train requires_grad_ detach_ zero_
    load_state_dict
    """.split()  # noqa: SIM905
)
# The mutant is their first argument, or their object if they are methods.
_WRAPPERS = frozenset(
    """
    stop_gradient detach clip clamp clip_by_global_norm scale unscale dropout normalize astype float half bfloat16
    to tanh relu sigmoid softmax log_softmax gelu exp log sqrt abs square
    """.split()  # noqa: SIM905
)


class Training(Operator):
    """Removes a step of a training loop: clearing, clipping, scaling or stopping a gradient, or an update."""

    name = "training step"
    remedy = "add a case of several steps, in which gradients are large enough for this call to matter"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            if called_name(node.value) in _TRAINING_CALLS:
                yield tree.replaced(node, "pass")
        elif isinstance(node, ast.Call) and called_name(node) in _WRAPPERS:
            if isinstance(node.func, ast.Attribute) and tree.is_object(node.func.value):
                yield tree.replaced(node, tree.grouped(node.func.value))
            elif given := positional(node):
                yield tree.replaced(node, tree.grouped(given[0]))
        elif isinstance(node, ast.With):
            last = node.items[-1].optional_vars or node.items[-1].context_expr
            colon = tree.operator_between(last, ":", node.body[0])
            yield (Edit(tree.start(node), colon.start, "if True"),)


_OTHER_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "sum": ("mean", "max"),
    "nansum": ("nanmean",),
    "mean": ("sum", "max"),
    "nanmean": ("nansum",),
    "prod": ("sum",),
    "max": ("min", "sum"),
    "amax": ("amin",),
    "min": ("max",),
    "amin": ("amax",),
    "median": ("mean",),
    "std": ("var",),
    "var": ("std",),
    "argmax": ("argmin",),
    "argmin": ("argmax",),
    "any": ("all",),
    "all": ("any",),
    "cumsum": ("cumprod",),
    "cumprod": ("cumsum",),
    "logsumexp": ("max",),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "add": ("subtract",),
    "subtract": ("add",),
    "multiply": ("add",),
    "divide": ("multiply",),
    "zeros": ("ones",),
    "ones": ("zeros",),
    "zeros_like": ("ones_like",),
    "ones_like": ("zeros_like",),
    "softmax": ("log_softmax",),
    "log_softmax": ("softmax",),
    "exp": ("expm1",),
    "log": ("log1p",),
    "log1p": ("log",),
    "expm1": ("exp",),
    "sin": ("cos",),
    "cos": ("sin",),
    "tanh": ("sin",),
    "sigmoid": ("tanh",),
    "relu": ("abs",),
    "sqrt": ("square",),
    "rsqrt": ("sqrt",),
    "square": ("abs",),
    "abs": ("square",),
    "floor": ("ceil",),
    "ceil": ("floor",),
    "round": ("floor",),
    "triu": ("tril",),
    "tril": ("triu",),
    "outer": ("inner",),
    "dot": ("outer",),
    "append": ("extend",),
}
_OTHER_BUILTINS: dict[str, tuple[str, ...]] = {
    "sum": ("max", "len"),
    "max": ("min",),
    "min": ("max",),
    "any": ("all",),
    "all": ("any",),
    "reversed": ("list",),
    "sorted": ("list",),
}


class Function(Operator):
    """Calls another function of the same kind: mean for sum, ones for zeros, min for max."""

    name = "function"
    remedy = "add a case with several different values here, so that these functions give different results"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if not isinstance(node, ast.Call):
            return
        table = _OTHER_BUILTINS if isinstance(node.func, ast.Name) else _OTHER_FUNCTIONS
        name, end = called_name(node), tree.end(node.func)
        if not (name in ("max", "min") and len(positional(node)) > 1 and table is _OTHER_FUNCTIONS):
            yield from ((Edit(end - len(name), end, other),) for other in table.get(name, ()))


_WITHOUT_EFFECT = frozenset({"strict", "key", "name", "dtype_policy"})


class Argument(Operator):
    """Swaps neighbouring arguments, and leaves keyword arguments to their defaults."""

    name = "arguments"
    remedy = "add a case in which these arguments differ from each other and from their defaults"

    def edits(self, node: ast.AST, tree: Tree) -> Iterator[Edits]:
        if not isinstance(node, ast.Call):
            return
        for first, second in pairwise(positional(node)):
            if tree.text(first) != tree.text(second):
                yield (*tree.replaced(first, tree.text(second)), *tree.replaced(second, tree.text(first)))
        arguments: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        arguments.sort(key=tree.start)
        for index, argument in enumerate(arguments):
            if isinstance(argument, ast.keyword) and argument.arg not in (None, *_WITHOUT_EFFECT):
                yield (_left_out(arguments, index, tree),)


def _left_out(arguments: Sequence[ast.expr | ast.keyword], index: int, tree: Tree) -> Edit:
    """Return the edit that removes an argument with one comma."""
    argument, rest = arguments[index], arguments[index + 1 :]
    if rest:
        return Edit(tree.start(argument), tree.start(rest[0]), "")
    start = tree.start(argument)
    if index > 0:
        start = tree.operator_between(arguments[index - 1], ",", argument).start
    return Edit(start, tree.end(argument), "")
