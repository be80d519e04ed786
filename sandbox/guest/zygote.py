"""The zygote, process 1 of a box: imports the frameworks once, and forks a monitor for each request.

It only polls. It reads nothing of any request, so a submission inherits no bytes of another. It never initialises a JAX
backend or runs a parallel torch operation: forking after either hangs the child.
"""

import gc
import importlib
import os
import platform
import select
import shutil
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from sandbox.guest import jax_compilation, monitor, system_calls, wire
from sandbox.guest.confinement import Surroundings
from sandbox.guest.gpu_start import holds_cuda_context
from sandbox.guest.isolation import is_needless, is_permitted
from sandbox.guest.wire import GuestFacts, Settings

# Modules that solutions commonly use: a first import in a child would cost the student time (torch._dynamo: 0.8 s).
IMPORTS = {
    "numpy": ("numpy", "numpy.random"),
    # JAX itself imports the last two: mhlo when it lowers, and SciPy's LAPACK for the first linear algebra.
    "jax": (
        "jax",
        "jax.numpy",
        "jax.random",
        "jax.export",
        "jax.scipy.linalg",
        "jax.scipy.stats",
        "jaxlib.mlir.dialects.mhlo",
        "scipy.linalg.cython_lapack",
    ),
    "flax": ("flax", "flax.linen", "flax.nnx", "flax.struct"),
    "optax": ("optax",),
    "pallas": ("jax.experimental.pallas", "jax.experimental.pallas.triton"),
    "torch": ("torch", "torch._dynamo", "torch.nn", "torch.optim"),
    "triton": ("triton", "triton.language"),
}
# The judge's own code that drivers import, by the framework that it needs.
DRIVERS = {"numpy": ("record",), "jax": ("program_export", "inspection")}
# `make runtime` installs them only where they are asked for.
OPTIONAL = ("triton",)
TMP = Path("/tmp")


def live(settings: Settings, all_cores: tuple[int, ...]) -> NoReturn:
    """Serve until the host closes its end, or until the box could not be emptied."""
    # SIGTERM is blocked since bubblewrap started. Programs expect an empty mask.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    # A process that a shell starts in the background ignores SIGINT, and so would its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    missing = tuple(name for name in OPTIONAL if find_spec(name) is None)
    frameworks = tuple(name for name in settings.frameworks if name not in missing)
    _hide(name for name in OPTIONAL if name not in settings.frameworks)
    _import(frameworks)
    if "pallas" in frameworks:
        importlib.import_module("sandbox.guest.pallas").install()
    jax_compilation.install(settings.optimizations)
    has_gpu = settings.gpu_memory_bytes is not None
    if "triton" in frameworks and not has_gpu:
        importlib.import_module("sandbox.guest.triton").launches.install()
    if has_gpu and holds_cuda_context(Path("/proc/self/fd")):
        raise RuntimeError("a CUDA context exists before the fork: no child could create its own")
    for framework in ("numpy", *frameworks):
        for driver in DRIVERS.get(framework, ()):
            importlib.import_module(f"sandbox.guest.{driver}")
    may_separate = settings.isolation != "shared" and is_permitted(gpu=has_gpu)
    if not may_separate and not is_needless():
        raise SystemExit("this kernel separates processes by namespaces only, and allows none in this box")
    surroundings = Surroundings(
        isolation="namespaces" if may_separate else "shared",
        cores=settings.cores,
        all_cores=all_cores,
        gpu_memory_bytes=settings.gpu_memory_bytes,
    )
    gc.collect()
    gc.freeze()  # otherwise the collector's marks would copy every page in every child
    system_calls.use_huge_pages()  # each fork would copy the entries of 50,000 small ones of PyTorch
    wire.write_frame(wire.TO_HOST, wire.READY, _describe(settings, surroundings, missing).to_json())
    _serve(surroundings)


def _hide(modules: Iterable[str]) -> None:
    """Let imports of these modules fail. Otherwise PyTorch imports Triton wherever it is installed, with 80 MiB."""
    for module in modules:
        sys.modules[module] = None  # type: ignore[assignment]


def _import(frameworks: tuple[str, ...]) -> None:
    for framework in ("numpy", *frameworks):  # the codec needs numpy
        for module in IMPORTS[framework]:
            importlib.import_module(module)
    bridge = sys.modules.get("jax._src.xla_bridge")
    if bridge is not None and bridge.backends_are_initialized():
        raise RuntimeError("a JAX backend exists before the fork: every child would hang")


def _describe(settings: Settings, surroundings: Surroundings, missing: tuple[str, ...]) -> GuestFacts:
    return GuestFacts(
        isolation=surroundings.isolation,
        versions={name: str(sys.modules[name].__version__) for name in settings.frameworks if name in sys.modules},
        python=platform.python_version(),
        device="gpu" if surroundings.has_gpu else "cpu",
        missing=missing,
    )


def _serve(surroundings: Surroundings) -> NoReturn:
    waiting = select.poll()
    waiting.register(wire.FROM_HOST, select.POLLIN)
    priority = _read_session_priority()
    while waiting.poll()[0][1] & select.POLLIN:
        pid = os.fork()
        if pid == 0:
            monitor.live(surroundings)
        if os.waitpid(pid, 0)[1] != 0 or not _empty_box() or _read_session_priority() != priority:
            os._exit(1)
        wire.write_frame(wire.TO_HOST, wire.EMPTY)
    os._exit(0)


def _read_session_priority() -> bytes:
    """Return the group that the kernel schedules this box with, and its niceness. Started programs can change that."""
    with suppress(OSError):  # the kernel has no such groups
        return Path("/proc/self/autogroup").read_bytes()
    return b""


def _empty_box() -> bool:
    """End every other process of the box and remove every file. Return whether the box is empty."""
    _end_others()
    return _holds_no_file(TMP) or _succeeds_apart(lambda: _empty_folder(TMP))


def _end_others() -> None:
    while True:
        with suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass  # thousands end together, and each signal goes to all that are left
        except ChildProcessError:
            return


def _holds_no_file(folder: Path) -> bool:
    """Check by count, without reading names. Assumes files where the file system does not count them."""
    counts = os.statvfs(folder)
    return counts.f_files - counts.f_ffree == 1  # the folder itself


def _succeeds_apart(attempt: Callable[[], bool]) -> bool:
    """Run in a child process: file names are a student's bytes, and would stay in the zygote's memory."""
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            os._exit(0 if attempt() else 1)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _empty_folder(folder: Path) -> bool:
    for path in list(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o700)
            shutil.rmtree(path, onerror=_open_up)
        else:
            path.unlink()
    return not list(folder.iterdir())


def _open_up(_function: object, path: str, _error: object) -> None:
    """Reopen a folder that its owner locked."""
    os.chmod(path, 0o700)  # noqa: PTH101
    shutil.rmtree(path)
