"""A call written as text, such as `f([1, 2], k=np.array([3.0]))`: its arguments, read and not evaluated."""

import ast
from dataclasses import dataclass
from typing import Any

ARRAY_MAKERS = {
    "np.array": "numpy",
    "numpy.array": "numpy",
    "np.asarray": "numpy",
    "jnp.array": "jax",
    "jnp.asarray": "jax",
    "torch.tensor": "torch",
    "torch.Tensor": "torch",
}


@dataclass(frozen=True, slots=True)
class LiteralArray:
    """`kind`: the library that makes it. `dtype` where the call names one."""

    kind: str
    values: Any
    dtype: str | None


def read_call(text: str, name: str) -> tuple[list[Any], dict[str, Any]]:
    """Of a call of `name`, alone or within `print(…)` or before `==`. Raises ValueError."""
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError) as error:
        raise ValueError(f"{text[:60]!r} is no Python ({error})") from None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == name]
    if len(calls) != 1:
        raise ValueError(f"{text[:60]!r} has {len(calls)} calls of {name}, and one is wanted")
    if any(keyword.arg is None for keyword in calls[0].keywords):
        raise ValueError(f"{text[:60]!r} passes **keywords")
    positional = [_read(argument) for argument in calls[0].args]
    return positional, {str(keyword.arg): _read(keyword.value) for keyword in calls[0].keywords}


def _read(node: ast.expr) -> Any:
    if isinstance(node, ast.Call) and (kind := ARRAY_MAKERS.get(ast.unparse(node.func))) and node.args:
        named = {keyword.arg: ast.unparse(keyword.value).rpartition(".")[2] for keyword in node.keywords}
        return LiteralArray(kind, _read(node.args[0]), named.get("dtype", "").strip("'\"") or None)
    if isinstance(node, ast.List | ast.Tuple):
        return [_read(item) for item in node.elts]
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise ValueError(f"the argument {ast.unparse(node)[:60]} is no literal") from None
