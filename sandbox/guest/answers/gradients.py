"""The function's value, and its gradients with respect to named arguments.

A value that is not one number is reduced to Σ cos(i) yᵢ first, over all its elements in order. The factors differ, so
no two elements can stand for each other.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.guest.answers.driver_case import DriverCase, snapshot, tensors_in


def call(solution: Callable[..., object], case: DriverCase) -> object:
    return (_by_jax if case.options["library"] == "jax" else _by_torch)(solution, case)


def _by_jax(solution: Callable[..., Any], case: DriverCase) -> object:
    jax = sys.modules["jax"]
    arguments = case.arguments()
    named = {name: arguments[name] for name in case.options["of"]}

    def value_of(named: dict[str, Any]) -> Any:
        return solution(*(arguments | named).values())

    value, pull_back = jax.vjp(value_of, named)
    (gradients,) = pull_back(_factors_for_jax(jax, value))
    return {"value": value, "gradients": gradients}


def _factors_for_jax(jax: Any, value: Any) -> Any:
    leaves, tree = jax.tree.flatten(value)
    begin, factors = 0, []
    for leaf in map(jax.numpy.asarray, leaves):
        if jax.numpy.issubdtype(leaf.dtype, jax.numpy.inexact):
            places = jax.numpy.arange(begin, begin + leaf.size).reshape(leaf.shape)
            factors.append(jax.numpy.cos(places).astype(leaf.dtype))
            begin += leaf.size
        else:
            factors.append(jax.numpy.zeros(leaf.shape, jax.dtypes.float0))
    return jax.tree.unflatten(tree, factors)


def _by_torch(solution: Callable[..., Any], case: DriverCase) -> object:
    torch = sys.modules["torch"]
    arguments = case.arguments()
    named = {name: arguments[name].detach().clone().requires_grad_() for name in case.options["of"]}
    value = solution(*(arguments | named).values())
    total: Any = None
    begin = 0
    for leaf in filter(torch.is_floating_point, tensors_in(value)):
        places = torch.arange(begin, begin + leaf.numel(), dtype=leaf.dtype, device=leaf.device).reshape(leaf.shape)
        part = (torch.cos(places) * leaf).sum()
        total, begin = part if total is None else total + part, begin + leaf.numel()
    if total is None or not total.requires_grad:
        names = ", ".join(named)
        raise RuntimeError(
            f"PyTorch can't follow how your answer depends on {names}: compute it with PyTorch's own operations, "
            "without .detach(), .item(), .numpy() and torch.no_grad()"
        )
    found = torch.autograd.grad(total, list(named.values()), allow_unused=True)
    gradients = {
        name: torch.zeros_like(given) if gradient is None else gradient
        for (name, given), gradient in zip(named.items(), found, strict=True)
    }
    return {"value": snapshot(value), "gradients": gradients}
