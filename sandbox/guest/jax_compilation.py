"""Makes JAX compile less, and more cheaply, in a student's process.

JAX compiles one small program for every operation at every new shape, and again for every new closure. Three parts
take most of that away. Each can be left out by its name:

- `mlir_context`: JAX makes an MLIR context for each program that it lowers, which takes longer than lowering a small
  one. Here each thread keeps one.
- `executables`: a program with the text and the options of an earlier one gets the earlier one's executable.
- `compile_options`: a program of few operations on small arrays is compiled with few of LLVM's and XLA's
  optimizations, since it is compiled far longer than it runs. The reference is compiled in the same way.

They replace private functions of JAX. So they apply to versions that they were tested with, and any other version of
JAX works as it comes. Nothing here makes a backend, an MLIR context or a thread: that happens in the forked process.
"""

import hashlib
import math
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from typing import Any

TESTED_VERSIONS = ("0.10.2",)
PARTS = ("mlir_context", "executables", "compile_options")

# A context keeps every type and constant that it has seen.
PROGRAMS_PER_CONTEXT = 1000
LARGE_TEXT = 2**20
EXECUTABLES_KEPT = 1024

SMALL_TEXT = 256 * 1024
SMALL_ELEMENTS = 2**16
# Steps of all loops times elements of the largest array.
SHORT_LOOPS = 2**18
# Of a program that runs its operations once or a few times: LLVM's optimizations cost more than they save.
STRAIGHT_OPTIONS = (
    ("xla_cpu_use_fusion_emitters", False),
    ("xla_backend_optimization_level", 0),
    ("xla_llvm_disable_expensive_passes", True),
    ("xla_cpu_parallel_codegen_split_count", 1),
)
# Of a program with a loop that may run many times: LLVM optimizes, and XLA's slower emitters are left out.
LOOP_OPTIONS = (("xla_cpu_use_fusion_emitters", False), ("xla_cpu_parallel_codegen_split_count", 1))
_LOOP = "stablehlo.while"
# A loop from 0 to a constant, as `scan` and `fori_loop` make it.
_COUNTED_LOOP = re.compile(
    r"cond \{\s*(%\w+) = stablehlo\.constant dense<(\d+)> : tensor<i\d+>"
    r"\s*%\w+ = stablehlo\.compare\s+LT, %iterArg\w*, \1, SIGNED"
)
_SHAPE = re.compile(r"tensor<((?:\d+x)+)")

Options = Sequence[tuple[str, bool | int]]
Compile = Callable[..., Any]


def install(parts: Collection[str]) -> None:
    """Once in a process, after JAX was imported."""
    if not parts or not is_tested():
        return
    contexts = _Contexts()
    if "mlir_context" in parts:
        contexts.install(sys.modules["jax._src.interpreters.mlir"])
    compiler = sys.modules["jax._src.compiler"]
    compile_program: Compile = vars(compiler)["compile_or_get_cached"]
    executables = _Executables() if "executables" in parts else None
    has_options = "compile_options" in parts

    def compile_or_get_cached(
        backend: Any, computation: Any, devices: Any, options: Any, callbacks: Any, *rest: Any, **named: Any
    ) -> Any:
        text = computation.operation.get_asm(enable_debug_info=False)
        if len(text) > LARGE_TEXT:
            contexts.renew()
        if has_options and backend.platform == "cpu":
            # What the student asks for by name stands behind, and wins.
            options.env_option_overrides = [*options_for(text), *options.env_option_overrides]

        def compiled() -> Any:
            return compile_program(backend, computation, devices, options, callbacks, *rest, **named)

        if executables is None or callbacks:
            return compiled()
        return executables.get((backend.platform, _digest(text, options)), compiled)

    vars(compiler)["compile_or_get_cached"] = compile_or_get_cached


def _digest(text: str, options: Any) -> bytes:
    return hashlib.sha256(text.encode() + options.SerializeAsString()).digest()


def is_tested() -> bool:
    """Whether JAX was imported, in a version that this was tested with."""
    jax = sys.modules.get("jax")
    return jax is not None and jax.__version__ in TESTED_VERSIONS


def options_for(text: str) -> Options:
    """How to compile a program, by its StableHLO text."""
    if len(text) > SMALL_TEXT or _largest(text) > SMALL_ELEMENTS:
        return ()
    return STRAIGHT_OPTIONS if _steps(text) * _largest(text) <= SHORT_LOOPS else LOOP_OPTIONS


def _steps(text: str) -> float:
    """How often the loops run at most if each is inside the one before. Infinite where a loop does not say it."""
    counts = [int(count) for _, count in _COUNTED_LOOP.findall(text)]
    return math.prod(counts) if len(counts) == text.count(_LOOP) else math.inf


def _largest(text: str) -> int:
    """How many elements the largest array has."""
    return max(map(_elements, set(_SHAPE.findall(text))), default=1)


def _elements(shape: str) -> int:
    product = 1
    for length in shape.rstrip("x").split("x"):
        product *= int(length)
    return product


class _Contexts:
    """One MLIR context for each thread, which is replaced when it has seen much."""

    def __init__(self) -> None:
        self._own = threading.local()

    def install(self, mlir: Any) -> None:
        make = vars(mlir)["make_ir_context"]

        def make_ir_context() -> Any:
            own = vars(self._own)
            if own.get("uses", PROGRAMS_PER_CONTEXT) >= PROGRAMS_PER_CONTEXT:
                own.update(context=make(), uses=0)
            own["uses"] += 1
            return own["context"]

        vars(mlir)["make_ir_context"] = make_ir_context

    def renew(self) -> None:
        vars(self._own).clear()


class _Executables:
    """The executables that were used last, by platform, program and options."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, bytes], Any] = OrderedDict()
        self._changing = threading.Lock()

    def get(self, key: tuple[str, bytes], compiled: Callable[[], Any]) -> Any:
        with self._changing:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = compiled()
        with self._changing:
            self._kept[key] = made
            while len(self._kept) > EXECUTABLES_KEPT:
                self._kept.popitem(last=False)
        return made
