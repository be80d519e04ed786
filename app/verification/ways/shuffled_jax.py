"""JAX with the terms of every sum and matrix product in a random order.

Each is lowered as itself, with operands permuted along the summed axes. The mathematics stays the same, also inside
`grad` and `scan`. The permutation is a gather of constants, which XLA does not optimize away; XLA would remove a
`reverse` before a sum.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

jax: Any = sys.modules["jax"]
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lax import lax  # noqa: E402
from jax.extend.core import Primitive  # noqa: E402

orders = np.random.default_rng(0)


def call(run: Any, solution: Any, inputs: dict[str, Any]) -> object:
    return run(solution, inputs)


def shuffle(primitive: Any, permute: Callable[..., Sequence[Any]]) -> None:
    plain = Primitive(f"{primitive.name}_in_order")
    plain.def_abstract_eval(lambda *shapes, **options: primitive.abstract_eval(*shapes, **options)[0])
    by_platform = mlir._platform_specific_lowerings["cpu"].get(primitive)
    mlir.register_lowering(plain, (by_platform or mlir._lowerings[primitive]).rule)
    changed = mlir.lower_fun(
        lambda *operands, **options: plain.bind(*permute(operands, options), **options), multiple_results=False
    )
    mlir.register_lowering(primitive, changed)
    mlir.register_lowering(primitive, changed, platform="cpu")


def permute_sum(operands: Sequence[Any], options: dict[str, Any]) -> Sequence[Any]:
    (x,) = operands
    for axis in options["axes"]:
        x = jax.numpy.take(x, orders.permutation(x.shape[axis]), axis=axis)
    return [x]


def permute_product(operands: Sequence[Any], options: dict[str, Any]) -> Sequence[Any]:
    a, b = operands
    for left, right in zip(*options["dimension_numbers"][0], strict=True):
        order = orders.permutation(a.shape[left])
        a, b = jax.numpy.take(a, order, axis=left), jax.numpy.take(b, order, axis=right)
    return [a, b]


shuffle(lax.reduce_sum_p, permute_sum)
shuffle(lax.dot_general_p, permute_product)
