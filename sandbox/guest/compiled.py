"""A driver for trusted boxes that fill the library cache: the answer is what the program compiled.

The host never opens a folder that a box writes to, so the entries travel as an answer.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import jax
import numpy as np
from jax.extend.core import Primitive

from sandbox.guest import jax_compilation
from sandbox.guest.student_program import Run, load_driver

_LIBRARY = (
    "jax._src.lax.lax",
    "jax._src.lax.slicing",
    "jax._src.lax.convolution",
    "jax._src.lax.linalg",
    "jax._src.numpy.",
    "jax._src.nn.",
    "jax._src.random",
    "jax._src.prng",
    "flax.nnx.nn.",
    "flax.linen.",
)


def harvesting(driver: str | None, *, eager: bool = False) -> Run:
    """Return a driver that runs the inner driver, or the solution itself, and answers with what is new.

    `eager`: the solution's loops and jitted functions run step by step, as in a solution without them. Each answer
    holds `programs`, compiled programs by key; `names`, those of programs that have a name of the libraries'; and
    `calls`, entries of the call table by key. Without a library cache, it holds nothing.
    """
    if eager:
        _run_eagerly()
    inner, library = load_driver(driver), library_names()
    table = jax_compilation.table
    if table is not None:
        # Otherwise each program names the functions and lines of the reference that called it.
        jax.config.update("jax_traceback_in_locations_limit", 0)
        table.record()

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        inner(solution, inputs)
        return {} if table is None else _take(table, library)

    return run


def _take(table: Any, library: set[str]) -> dict[str, Any]:
    compiled, calls = table.take()
    programs = dict[str, Any]()
    for key, (_, executable) in compiled.items():
        with suppress(RuntimeError):  # a program with `sort` can't be serialized
            programs[key] = np.frombuffer(executable.serialize(), np.uint8)
    return {
        "programs": programs,
        "names": {key: name for key, (name, _) in compiled.items() if name in library},
        "calls": {key: np.frombuffer(entry, np.uint8) for key, entry in calls.items()},
    }


def _run_eagerly() -> None:
    """Before the solution is loaded."""

    def scan(step: Any, carry: Any, xs: Any = None, length: Any = None, reverse: bool = False, **_: Any) -> Any:
        count = len(jax.tree.leaves(xs)[0]) if length is None else length
        results = []
        for number in reversed(range(count)) if reverse else range(count):
            carry, result = step(carry, jax.tree.map(lambda array, at=number: array[at], xs))
            results.append(result)
        return carry, jax.tree.map(lambda *parts: jax.numpy.stack(parts), *(results[::-1] if reverse else results))

    def fori_loop(first: Any, end: Any, step: Any, carry: Any, **_: Any) -> Any:
        for number in range(int(first), int(end)):
            carry = step(number, carry)
        return carry

    def jit(function: Any = None, **_: Any) -> Any:
        return jit if function is None else function

    jax.jit, jax.lax.scan, jax.lax.fori_loop = jit, scan, fori_loop


def library_names() -> set[str]:
    """Return the names of the primitives and compiled functions in the libraries' modules."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith(_LIBRARY)]
    kinds = (type(jax.numpy.log), jax.numpy.ufunc)
    values = [value for module in modules for value in vars(module).values()]
    functions = {str(value.__name__) for value in values if isinstance(value, kinds)}
    return functions | {value.name for value in values if isinstance(value, Primitive)}
