"""Calls versions of a solution one after the other in one process, so that they share what they compile.

Every version has a module of its own and starts from the same random state. A call that takes far more CPU time than
the original is cut off here, so that the process and its compiled programs stay. CPU time does not depend on what else
the machine does. The file runs in a box, beside the package's own code: `batch.py` reads its text.
"""

import linecache
import random
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, ModuleType
from typing import Any

Inputs = dict[str, Any]
Run = Callable[[Callable[..., object], Inputs], object]
# A mutant may take this multiple of the original's CPU time, and always this many seconds.
TIMES, LEAST_SECONDS = 10.0, 0.5
# A library may swallow the exception of a signal, so the signal repeats.
AGAIN_SECONDS = 0.2
# A limit of 0 would be none.
LEAST_LEFT = 1e-3

loaded: tuple[Any, Callable[[Inputs], object]] | None = None
ways: dict[str, dict[str, Any]] = {}
original_seconds: dict[str, float] = {}
cut_off: dict[str, Any] | None = None
# The version that ran last, and the CPU seconds of its calls so far.
spent: tuple[dict[str, Any] | None, float] = (None, 0.0)


class CutOff(BaseException):
    """The call took too much CPU time. `except Exception` of a solution does not catch it."""


class Skipped(Exception):
    """An earlier call of this version was cut off."""


def answer(version: dict[str, Any], call: dict[str, Any], *arguments: object) -> object:
    """`version` has the keys `source`, `entry_point`, `driver`, `names` (of the arguments) and `way`.

    `call` has the keys `case`, `is_original`, `cpu_seconds` and `original_seconds`, as in `app/engine/batch.py`.
    """
    global cut_off, spent
    if version == cut_off:
        raise Skipped("an earlier call of this version took too long")
    begun = time.process_time()
    try:
        return within(limit_of(version, call), lambda: solve(version, arguments))
    except CutOff:
        cut_off = version
        raise
    finally:
        took = time.process_time() - begun
        spent = (version, (spent[1] if spent[0] == version else 0.0) + took)
        if call["is_original"]:
            original_seconds[call["case"]] = took


def limit_of(version: dict[str, Any], call: dict[str, Any]) -> float:
    """Return the limit in CPU seconds; 0 is none."""
    known = original_seconds.get(call["case"], call["original_seconds"])
    if call["cpu_seconds"] is not None:
        left: float = call["cpu_seconds"] - (spent[1] if spent[0] == version else 0.0)
        return max(left, LEAST_LEFT)
    return 0.0 if call["is_original"] or known is None else max(TIMES * known, LEAST_SECONDS)


def within(cpu_seconds: float, work: Callable[[], object]) -> object:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise CutOff(f"took more than {cpu_seconds:.2g} s of CPU time")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds, AGAIN_SECONDS)
    try:
        return work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def solve(version: dict[str, Any], arguments: tuple[object, ...]) -> object:
    global loaded
    if loaded is None or loaded[0] != version:
        loaded = (version, load(version))
    begin()
    value = loaded[1](dict(zip(version["names"], arguments, strict=True)))
    if "jax" in sys.modules:
        with suppress(Exception):  # a tree that JAX can't read; errors of the computation come again when it is encoded
            sys.modules["jax"].block_until_ready(value)
    return value


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
    module, file = ModuleType(name), f"{name}.py"
    sys.modules[name] = module
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)  # Triton reads kernels there
    exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def call(solution: Callable[..., object], inputs: Inputs) -> object:
    return solution(*inputs.values())


def begin() -> None:
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)
