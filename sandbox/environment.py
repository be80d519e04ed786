"""The guest's command line and environment, the same in every kind of box, and the cores that each box computes on."""

import hashlib
import os
import py_compile
import sys
import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path, PurePosixPath

from sandbox.gpu.driver import Gpu
from sandbox.guest import jax_compilation
from sandbox.guest.wire import Settings
from sandbox.interface import BoxSpec, IsolationDemand

GUEST = Path(__file__).parent / "guest"
GUEST_IN_BOX = Path("/allclose/sandbox/guest")
GUEST_UID = 65532
CACHE_IN_BOX = jax_compilation.LIBRARY
RUNTIME_IN_BOX = Path("/allclose/runtime")


SOURCE_SUFFIXES = (".py", ".txt")
# A box sees one GPU, whose index is 0. No memory is preallocated, and no zygote creates a CUDA context.
_GPU_VARIABLES = {
    "JAX_PLATFORMS": "cuda,cpu",
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    "CUDA_VISIBLE_DEVICES": "0",
    "CUDA_CACHE_DISABLE": "1",
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",
    "TRITON_INTERPRET": "0",
}
# Optimizations of a student's process, which can be disabled by name: see `jax_compilation`.
OPTIMIZATIONS = jax_compilation.PARTS


@cache
def guest_digest() -> str:
    """Return the digest of the guest's sources. An image holds a copy of them, and it must match the host's version."""
    sources = [path for path in GUEST.rglob("*") if path.suffix in SOURCE_SUFFIXES]
    return digest_of({str(path.relative_to(GUEST)): path.read_bytes() for path in sources})


@cache
def compile_guest() -> None:
    """Compile the guest's sources once, since boxes and students' processes can't keep what they compile.

    Does nothing where this process may not write beside the sources.
    """
    if sys.dont_write_bytecode:
        return
    for source in GUEST.rglob("*.py"):
        compiled = Path(cache_from_source(source))
        with suppress(OSError):
            if not compiled.exists() or compiled.stat().st_mtime < source.stat().st_mtime:
                py_compile.compile(str(source), quiet=2)


def digest_of(files: Mapping[str, bytes]) -> str:
    """Return the digest of a guest's sources. `files` maps paths in its folder to contents; other files are ignored."""
    digest = hashlib.sha256()
    for path in sorted(path for path in map(PurePosixPath, files) if path.suffix in SOURCE_SUFFIXES):
        digest.update(f"{path}\0".encode() + files[str(path)] + b"\0")
    return digest.hexdigest()


def guest_arguments(
    spec: BoxSpec,
    isolation: IsolationDemand,
    cores: tuple[int, ...],
    optimizations: tuple[str, ...],
    gpu: Gpu | None = None,
) -> list[str]:
    """Return the arguments after the interpreter's name."""
    settings = Settings(
        frameworks=spec.frameworks,
        isolation=isolation,
        cores=cores,
        uid=GUEST_UID,
        gpu_memory_bytes=None if gpu is None else gpu.memory_bytes,
        optimizations=tuple(name for name in optimizations if name in jax_compilation.PARTS),
    )
    return ["-s", "-P", "-m", "sandbox.guest", settings.to_json()]


def guest_environment(core_count: int, gpu: Gpu | None = None) -> dict[str, str]:
    """The hash seed is fixed, so that a program does not pass in one box and fail in another."""
    return {
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(GUEST_IN_BOX.parents[1]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "USER": "student",
        "LANG": "C.UTF-8",
        "JAX_PLATFORMS": "cpu",
        "JAX_ENABLE_COMPILATION_CACHE": "false",  # JAX's own, which computes a key for each program
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "TRITON_INTERPRET": "1",  # read at the first import of triton, also by torch
        "OMP_NUM_THREADS": str(core_count),
        "OPENBLAS_NUM_THREADS": str(core_count),
        # Idle threads sleep. Spinning ones take a core from others, or from the next step of their own process.
        "OMP_WAIT_POLICY": "PASSIVE",
        **({} if gpu is None else _GPU_VARIABLES),
    }


class Cores:
    """Assigns to each box the cores that the fewest other boxes of this process use."""

    def __init__(self) -> None:
        self._boxes: Counter[int] = Counter()
        self._lock = threading.Lock()

    def take(self, count: int) -> tuple[int, ...]:
        """Return `count` cores, or all of them if the machine has fewer."""
        with self._lock:
            taken = sorted(os.sched_getaffinity(0), key=lambda core: (self._boxes[core], core))[:count]
            self._boxes.update(taken)
        return tuple(sorted(taken))

    def give_back(self, cores: tuple[int, ...]) -> None:
        with self._lock:
            self._boxes.subtract(cores)
