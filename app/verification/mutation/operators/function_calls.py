"""Mutants of calls: training steps left out, other functions, other arguments."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, grouped, positional, renamed, text_of

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

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            if called_name(node.value) in _TRAINING_CALLS:
                yield cst.Pass()
        elif isinstance(node, cst.Call) and called_name(node) in _WRAPPERS:
            if isinstance(node.func, cst.Attribute) and tree.is_object(node.func.value):
                yield grouped(node.func.value)
            elif given := positional(node):
                yield grouped(given[0].value)
        elif isinstance(node, cst.With):
            yield cst.If(cst.Name("True"), node.body)


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

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Call):
            return
        table = _OTHER_BUILTINS if isinstance(node.func, cst.Name) else _OTHER_FUNCTIONS
        name = called_name(node)
        if not (name in ("max", "min") and len(positional(node)) > 1 and table is _OTHER_FUNCTIONS):
            yield from (renamed(node, other) for other in table.get(name, ()))


_WITHOUT_EFFECT = frozenset({"strict", "key", "name", "dtype_policy"})


class Argument(Operator):
    """Swaps neighbouring arguments, and leaves keyword arguments to their defaults."""

    name = "arguments"
    remedy = "add a case in which these arguments differ from each other and from their defaults"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Call):
            return
        arguments, count = list(node.args), len(positional(node))
        for index in range(count - 1):
            first, second = arguments[index].value, arguments[index + 1].value
            if text_of(first) != text_of(second):
                swapped = [*arguments]
                swapped[index] = arguments[index].with_changes(value=second)
                swapped[index + 1] = arguments[index + 1].with_changes(value=first)
                yield node.with_changes(args=swapped)
        for index, argument in enumerate(arguments):
            if argument.keyword is not None and argument.keyword.value not in _WITHOUT_EFFECT:
                yield node.with_changes(args=_without(arguments, index))


def _without(arguments: list[cst.Arg], index: int) -> list[cst.Arg]:
    rest = [*arguments[:index], *arguments[index + 1 :]]
    if rest:
        rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return rest
