"""The driver for requirements: exports the student's function as a JAX program, as bytes for an inspector.

It runs in the student's box and is not trusted. If the student patches JAX, the inspector judges whatever bytes are
sent. The driver gets shapes, dtypes and static values, never an input.
"""

import sys
from collections.abc import Callable
from typing import Any

import jax
import jax.export
import numpy as np

from sandbox.guest.convert import plain
from sandbox.guest.trace_signature import PROGRAM_BYTES, Leaf, Signature, arguments, leaves

# So that programs that differ only in source locations are equal.
jax.config.update("jax_traceback_in_locations_limit", 0)
# A box for kernels also exports what a GPU would run.
PLATFORMS = ["cpu", "cuda"] if "jax.experimental.pallas" in sys.modules else ["cpu"]
KERNELS = jax.export.DisabledSafetyCheck.custom_call("__gpu$xla.gpu.triton")


class NotExported(Exception):
    """The text tells the student what to change."""


class NoAnswer(NotExported):
    """The function's return value would not be a valid answer to a normal call either."""


def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
    """Return `program`, portable StableHLO, and `structure`, with the number of an output at each leaf.

    Raises NotExported, and the errors of tracing the function.
    """
    signature: Signature = inputs["signature"]
    trees: list[Any] = []

    def flat(*traced: Any) -> list[Any]:
        values = solution(*arguments(signature, iter(traced)))
        outputs: list[Any]
        outputs, tree = jax.tree.flatten(values)
        trees.append(tree)
        _check(outputs)
        return outputs

    specs = [_spec(leaf) for leaf in leaves(signature)]
    exported = jax.export.export(jax.jit(flat, keep_unused=True), platforms=PLATFORMS, disabled_checks=[KERNELS])(
        *specs
    )
    program = exported.mlir_module_serialized
    if len(program) > PROGRAM_BYTES:
        raise NotExported(
            f"the traced program takes {len(program) / 2**20:.1f} MiB, more than {PROGRAM_BYTES // 2**20}: "
            "write loops with lax.scan, and don't build large arrays outside of JAX"
        )
    tree = trees[-1]
    numbers = [np.asarray(number, np.int32) for number in range(tree.num_leaves)]
    return {"program": np.frombuffer(program, np.uint8), "structure": plain(jax.tree.unflatten(tree, numbers))}


def _spec(leaf: Leaf) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.is_weak)


def _check(outputs: list[Any]) -> None:
    if not outputs:
        raise NoAnswer("the function returns no array; return your result")
    for output in outputs:
        if not isinstance(output, jax.Array | np.ndarray | np.generic | bool | int | float | complex):
            raise NoAnswer(f"the function returns a value of type {type(output).__name__}; return arrays")
        if jax.dtypes.issubdtype(getattr(output, "dtype", np.int32), jax.dtypes.prng_key):
            raise NoAnswer("the function returns a random key; return arrays (jax.random.key_data(key))")
