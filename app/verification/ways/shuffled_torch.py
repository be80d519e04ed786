"""PyTorch with the terms of every sum, mean and matrix product in a random order.

It works below autograd, so that it also reorders the sums of gradients.
"""

import sys
from typing import Any

torch: Any = sys.modules["torch"]
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

orders = torch.Generator().manual_seed(0)
SUMS = ("sum", "mean")


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> object:
    with ShuffledDispatch():
        return run(solution, inputs)


class ShuffledDispatch(TorchDispatchMode):  # type: ignore[misc]
    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = function.overloadpacket.__name__
        if name in SUMS and args[0].is_floating_point():
            args = (permuted(args[0], axes_of(args)), *args[1:])
        elif name in ("mm", "bmm", "mv", "dot"):
            args = (*matched(args[0], args[1]), *args[2:])
        elif name in ("addmm", "baddbmm"):
            args = (args[0], *matched(args[1], args[2]), *args[3:])
        return function(*args, **(kwargs or {}))


def axes_of(args: Any) -> list[int]:
    given = args[1] if len(args) > 1 else None
    if isinstance(given, int):
        return [given]
    return list(given) if isinstance(given, list | tuple) and given else list(range(args[0].dim()))


def permuted(x: Any, axes: list[int]) -> Any:
    for axis in axes:
        x = x.index_select(axis, order(x.shape[axis]))
    return x


def matched(a: Any, b: Any) -> tuple[Any, Any]:
    """Permute the summed axis of both: the last one of `a`, and the last but one of `b` if it has two."""
    along = order(a.shape[-1])
    return a.index_select(a.dim() - 1, along), b.index_select(max(b.dim() - 2, 0), along)


def order(size: int) -> Any:
    return torch.randperm(size, generator=orders)
