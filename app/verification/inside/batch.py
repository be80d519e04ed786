"""Calls versions of a solution one after the other in one process, so that they share what they compile.

Every version has a module of its own and starts from the same random state.
"""

import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

Inputs = dict[str, Any]
Run = Callable[[Callable[..., object], Inputs], object]

loaded: tuple[Any, Callable[[Inputs], object]] | None = None
ways: dict[str, dict[str, Any]] = {}


def answer(version: dict[str, Any], *arguments: object) -> object:
    """`version` has the keys `source`, `entry_point`, `driver`, `names` (of the arguments) and `way`."""
    global loaded
    if loaded is None or loaded[0] != version:
        loaded = (version, load(version))
    begin()
    return loaded[1](dict(zip(version["names"], arguments, strict=True)))


def load(version: dict[str, Any]) -> Callable[[Inputs], object]:
    way = None if version["way"] is None else load_way(version["way"])
    run = call if version["driver"] is None else run_source("driver", version["driver"])["run"]
    solution = run_source("solution", version["source"])[version["entry_point"]]
    if way is None:
        return lambda inputs: run(solution, inputs)
    return lambda inputs: way(run, solution, inputs)


def load_way(source: str) -> Callable[[Run, Callable[..., object], Inputs], object]:
    if source not in ways:
        ways[source] = run_source("way", source)
    found: Callable[[Run, Callable[..., object], Inputs], object] = ways[source]["call"]
    return found


def run_source(name: str, source: str) -> dict[str, Any]:
    module = sys.modules[name] = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def call(solution: Callable[..., object], inputs: Inputs) -> object:
    return solution(*inputs.values())


def begin() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
