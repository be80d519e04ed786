"""Other functions of the same kind: mean for sum, ones for zeros, min for max."""

from collections.abc import Iterator

import libcst as cst

from app.verification.mutation.operator import Operator
from app.verification.mutation.tree import Tree, called_name, positional, renamed

_OTHERS: dict[str, tuple[str, ...]] = {
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
_BUILTIN: dict[str, tuple[str, ...]] = {
    "sum": ("max", "len"),
    "max": ("min",),
    "min": ("max",),
    "any": ("all",),
    "all": ("any",),
    "reversed": ("list",),
    "sorted": ("list",),
}


class Function(Operator):
    name = "function"
    remedy = "add a case with several different values here, so that these functions give different results"

    def replacements(self, node: cst.CSTNode, tree: Tree) -> Iterator[cst.CSTNode]:
        if not isinstance(node, cst.Call):
            return
        table = _BUILTIN if isinstance(node.func, cst.Name) else _OTHERS
        name = called_name(node)
        if not (name in ("max", "min") and len(positional(node)) > 1 and table is _OTHERS):
            yield from (renamed(node, other) for other in table.get(name, ()))
