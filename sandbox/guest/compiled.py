"""A driver for trusted boxes that fill the library cache: the answer is what the program compiled.

The host never opens a folder that a box writes to, so the entries travel as an answer.
"""

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sandbox.guest import jax_compilation
from sandbox.guest.student_program import Run, load_driver

_LIBRARY = (
    "jax/_src/lax/lax.py",
    "jax/_src/lax/slicing.py",
    "jax/_src/lax/convolution.py",
    "jax/_src/lax/linalg.py",
    "jax/_src/numpy/*.py",
    "jax/_src/nn/*.py",
    "jax/_src/random.py",
    "jax/_src/prng.py",
    "jax/_src/random/*.py",
    "flax/nnx/nn/*.py",
    "flax/linen/*.py",
)
_DEFINITION = re.compile(r"^def (\w+)\(|Primitive\(\s*['\"](\w+)['\"]", re.MULTILINE)


def harvesting(driver: str | None, *, eager: bool = False) -> Run:
    """Return a driver that runs the inner driver, or the solution itself, and answers with what is new.

    `eager`: the solution's loops and jitted functions run step by step, as in a solution without them. Each answer
    holds `programs`, compiled programs by key; `names`, the name of each; `calls`, entries of the call table by key;
    and `library`, see `library_names`. Without a library cache, it holds nothing.
    """
    if eager:
        _run_eagerly()
    inner = load_driver(driver)
    table = jax_compilation.table
    if table is not None:
        # Otherwise each program names the functions and lines of the reference that called it.
        sys.modules["jax"].config.update("jax_traceback_in_locations_limit", 0)
        table.record()

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        inner(solution, inputs)
        return {} if table is None else _take(table)

    return run


def _take(table: Any) -> dict[str, Any]:
    compiled, calls = table.take()
    programs = dict[str, Any]()
    for key, (_, executable) in compiled.items():
        with suppress(RuntimeError):  # a program with `sort` can't be serialized
            programs[key] = np.frombuffer(executable.serialize(), np.uint8)
    return {
        "programs": programs,
        "names": {key: name for key, (name, _) in compiled.items()},
        "calls": {key: np.frombuffer(entry, np.uint8) for key, entry in calls.items()},
        "library": library_names(Path(np.__file__).parents[1]),
    }


def _run_eagerly() -> None:
    """Before the solution is loaded."""
    jax: Any = sys.modules["jax"]

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


def library_names(packages: Path) -> list[str]:
    """Return the names of functions and primitives that the libraries' sources define at top level."""
    sources = (path.read_text() for pattern in _LIBRARY for path in packages.glob(pattern))
    return sorted({name for source in sources for names in _DEFINITION.findall(source) for name in names if name})
