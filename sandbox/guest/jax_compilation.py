"""Reduce the time that JAX spends on compiling in a student's process.

JAX compiles one small program for every operation at every new shape, and again for every new closure. Four parts
avoid most of that work. Each can be disabled by its name:

    mlir_context     JAX creates an MLIR context for each program that it lowers, which takes longer than
                     lowering a small one. Here each thread keeps one.
    executables      A program with the text and options of an earlier one reuses its executable.
    compile_options  A program of few operations on small arrays is compiled with few of LLVM's and XLA's
                     optimizations, since compiling it takes far longer than running it. The reference is
                     compiled in the same way.
    library_cache    Programs of JAX's libraries come from a folder that trusted boxes filled (`sandbox.library_cache`).
                     A call of a library function is found there before it is traced (`call_table`).

The parts replace private functions of JAX. So they apply to tested versions only, and other versions of JAX run
unchanged. Nothing here creates a backend, an MLIR context or a thread: that happens in the forked process.
"""

import hashlib
import importlib
import math
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

TESTED_VERSIONS = ("0.10.2",)
PARTS = ("mlir_context", "executables", "compile_options", "library_cache")
# Where a box has the folder of compiled programs, if it has one.
LIBRARY = Path("/cache")

# A context keeps every type and constant that it has seen.
PROGRAMS_PER_CONTEXT = 1000
LARGE_TEXT = 2**20
EXECUTABLES_KEPT = 1024

SMALL_TEXT = 256 * 1024
SMALL_ELEMENTS = 2**16
# The most steps of all loops, times elements of the largest array, for which a program counts as short.
SHORT_LOOPS = 2**18
# For programs that run their operations once or a few times: LLVM's optimizations cost more time than they save.
STRAIGHT_OPTIONS = (
    ("xla_cpu_use_fusion_emitters", False),
    ("xla_backend_optimization_level", 0),
    ("xla_llvm_disable_expensive_passes", True),
    ("xla_cpu_parallel_codegen_split_count", 1),
)
# For programs with a loop that may run many times: LLVM optimizes, and XLA's slower emitters are disabled.
LOOP_OPTIONS = (("xla_cpu_use_fusion_emitters", False), ("xla_cpu_parallel_codegen_split_count", 1))
_LOOP = "stablehlo.while"
# A number, or a loop from 0 up to one, as `scan` and `fori_loop` make it. Exported programs have their numbers first.
_COUNTED_LOOP = re.compile(
    r"(%\w+) = stablehlo\.constant dense<(\d+)> : tensor<i\d+>"
    r"|(%\w+) = stablehlo\.compare\s+LT, %iterArg\w*, (%\w+), SIGNED[^\n]*\n\s*stablehlo\.return \3 :"
)
_SHAPE = re.compile(r"tensor<((?:\d+x)+)")
_NAME = re.compile(r"module @jit_(\w+)")
# A program that calls a function outside of itself, such as LAPACK's, may need what lowering sets up.
_CALLS_OUT = "custom_call"
_COMPILERS = ("jax", "jaxlib", "flax", "optax", "chex")
_FEATURES = ("flags", "Features")

Options = Sequence[tuple[str, bool | int]]
Compile = Callable[..., Any]

# The calls that this process knows, where it has the libraries' programs.
table: Any = None


def install(parts: Collection[str]) -> None:
    """Call once in a process, after JAX was imported."""
    global table
    if not parts or not is_tested():
        return
    contexts = _Contexts()
    if "mlir_context" in parts:
        contexts.install(sys.modules["jax._src.interpreters.mlir"])
    compiler = sys.modules["jax._src.compiler"]
    compile_program: Compile = vars(compiler)["compile_or_get_cached"]
    has_library = "library_cache" in parts and LIBRARY.is_dir()
    programs = Programs(LIBRARY if has_library else None, _identify(parts))
    has_options = "compile_options" in parts

    def compile_or_get_cached(
        backend: Any, computation: Any, devices: Any, options: Any, callbacks: Any, *rest: Any, **named: Any
    ) -> Any:
        text = computation.operation.get_asm(enable_debug_info=False)
        if len(text) > LARGE_TEXT:
            contexts.renew()
        if has_options and backend.platform == "cpu":
            # The student's own options come last, so they win.
            options.env_option_overrides = [*options_for(text), *options.env_option_overrides]

        def compiled() -> Any:
            return compile_program(backend, computation, devices, options, callbacks, *rest, **named)

        if "executables" not in parts or callbacks:
            return compiled()
        key = programs.digest(backend.platform.encode() + text.encode() + options.SerializeAsString())
        return programs.get(key, text, options, compiled)

    vars(compiler)["compile_or_get_cached"] = compile_or_get_cached
    if has_library and "executables" in parts:
        table = importlib.import_module("sandbox.guest.call_table").CallTable(programs)
        table.install()


def _identify(parts: Collection[str]) -> bytes:
    """Identify what compiles: a program is of no use to other versions, and may crash another processor."""
    versions = list[str]()
    for name in _COMPILERS:
        with suppress(PackageNotFoundError):
            versions.append(f"{name} {version(name)}")
    with suppress(OSError):
        versions += [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith(_FEATURES)][:1]
    return "\n".join([*versions, *sorted(parts)]).encode()


def is_tested() -> bool:
    """Whether JAX was imported in a tested version."""
    jax = sys.modules.get("jax")
    return jax is not None and jax.__version__ in TESTED_VERSIONS


def options_for(text: str) -> Options:
    """Return the options to compile a program with, from its StableHLO text."""
    if len(text) > SMALL_TEXT or _largest(text) > SMALL_ELEMENTS:
        return ()
    return STRAIGHT_OPTIONS if _steps(text) * _largest(text) <= SHORT_LOOPS else LOOP_OPTIONS


def _steps(text: str) -> float:
    """Return the most steps of all loops, as if each were inside the one before; infinite if a loop has no known
    length.
    """
    numbers, counts = dict[str, int](), list[int]()
    for name, number, _, bound in _COUNTED_LOOP.findall(text):
        if number:
            numbers[name] = int(number)
        elif bound in numbers:
            counts.append(numbers[bound])
    return math.prod(counts) if len(counts) == text.count(_LOOP) else math.inf


def _largest(text: str) -> int:
    """Return the number of elements of the largest array."""
    return max(map(_elements, set(_SHAPE.findall(text))), default=1)


def _elements(shape: str) -> int:
    product = 1
    for length in shape.rstrip("x").split("x"):
        product *= int(length)
    return product


class _Contexts:
    """One MLIR context per thread, replaced after many uses."""

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


class Programs:
    """Compiled programs by the digest of their text and options: the most recently used ones of this process, and those
    in `folder`. `identity`: of what compiles.

    `plain`: the keys of programs that call no function outside of themselves. `compiled`: the name and executable of
    each program that this process has compiled since `record` was called.
    """

    def __init__(self, folder: Path | None, identity: bytes) -> None:
        self._folder, self._identity = folder, identity
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._changing = threading.Lock()
        self.compiled: dict[str, tuple[str, Any]] | None = None
        self.plain: set[str] = set()

    def digest(self, content: bytes) -> str:
        return hashlib.sha256(self._identity + content).hexdigest()

    def get(self, key: str, text: str, options: Any, compiled: Callable[[], Any]) -> Any:
        if _CALLS_OUT not in text:
            self.plain.add(key)
        if (known := self.load(key, options)) is not None:
            return known
        made = compiled()
        if self.compiled is not None and (name := _NAME.search(text)) is not None:
            self.compiled[key] = name[1], made
        self._keep(key, made)
        return made

    def load(self, key: str, options: Any = None) -> Any:
        """Return None if this process has not compiled the program and the folder does not hold it."""
        with self._changing:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        content = self.read(f"program-{key}")
        if content is None:
            return None
        try:
            loaded = _load(content, options)
        except RuntimeError:  # the host lost power while it wrote the file
            return None
        self._keep(key, loaded)
        return loaded

    def read(self, name: str) -> bytes | None:
        if self._folder is None:
            return None
        try:
            return (self._folder / name).read_bytes()
        except OSError:
            return None

    def find(self, executable: Any) -> str | None:
        """Return the key of a plain program."""
        return next((key for key, kept in self._kept.items() if kept is executable and key in self.plain), None)

    def _keep(self, key: str, executable: Any) -> None:
        with self._changing:
            self._kept[key] = executable
            while len(self._kept) > EXECUTABLES_KEPT:
                self._kept.popitem(last=False)


def _load(content: bytes, options: Any) -> Any:
    compiler, xla_client = sys.modules["jax._src.compiler"], sys.modules["jax._src.lib"].xla_client
    device = sys.modules["jax"].devices()[0]
    options = options or compiler.get_compile_options(num_replicas=1, num_partitions=1)
    return device.client.deserialize_executable(content, xla_client.DeviceList((device,)), options)
