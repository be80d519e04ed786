"""Drivers for boxes that fill the compilation cache: the answer is what a trusted program compiled.

The host never opens a folder that a box writes to, so the entries travel as an answer. Library calls of students are
learned in two steps. A box with a student's source reports its calls (`recording`); the report is untrusted. Another
box, without such a source, makes the calls that it accepts (`granting`).
"""

import os
import re
import sys
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sandbox.guest import jax_compilation

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

Run = Callable[[Callable[..., object], dict[str, Any]], object]


def harvesting(driver: str | None) -> Run:
    """Return a driver that runs the inner driver, or the solution itself, and answers with what was compiled.

    Each answer holds `entries`, the new cache entries by file name; `library`, see `library_names`; and `calls`, all
    library calls so far (`library_programs`).
    """
    inner, entries = recording(driver), _Entries()

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        calls = inner(solution, inputs)
        return {**entries.new(), "calls": calls}

    return run


def recording(driver: str | None) -> Run:
    """Return a driver that runs the inner driver, or the solution itself, and answers with the library calls so far."""
    inner = _call if driver is None else _load(driver)
    recorder: Any = None
    if jax_compilation.is_tested():
        recorder = import_module("sandbox.guest.library_programs").Recorder()

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        with recorder.recording() if recorder is not None else nullcontext():
            inner(solution, inputs)
        return [] if recorder is None else [np.frombuffer(call, np.uint8) for call in sorted(recorder.calls)]

    return run


def granting() -> Run:
    """Return a driver that makes the library calls in its input `calls`. It answers as `harvesting` does."""
    entries = _Entries()

    def run(_solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        library = sys.modules["sandbox.guest.library_programs"].found
        granted = [] if library is None else library.grant(bytes(call) for call in inputs["calls"])
        return {"calls": [np.frombuffer(call, np.uint8) for call in granted], **entries.new()}

    return run


class _Entries:
    """New entries of the compilation cache since the last call."""

    def __init__(self) -> None:
        self._folder = Path(os.environ["JAX_COMPILATION_CACHE_DIR"])
        self._known: set[str] = set()

    def new(self) -> dict[str, Any]:
        fresh = [path for path in self._folder.glob("*-cache") if path.name not in self._known]
        self._known.update(path.name for path in fresh)
        entries = {path.name: np.frombuffer(path.read_bytes(), np.uint8) for path in fresh}
        return {"entries": entries, "library": library_names(Path(np.__file__).parents[1])}


def _call(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
    return solution(*inputs.values())


def _load(source: str) -> Run:
    namespace: dict[str, Any] = {}
    exec(compile(source, "driver.py", "exec"), namespace)
    run: Run = namespace["run"]
    return run


def library_names(packages: Path) -> list[str]:
    """Return the names of functions and primitives that the libraries' sources define at top level."""
    sources = (path.read_text() for pattern in _LIBRARY for path in packages.glob(pattern))
    return sorted({name for source in sources for names in _DEFINITION.findall(source) for name in names if name})
