"""Confine the student's process: cores, mounts, resource limits, capabilities and, last, the system call filter.

The order matters.
"""

import os
import platform
import resource
from contextlib import suppress
from dataclasses import dataclass, replace

from sandbox.guest import isolation, system_calls
from sandbox.guest.gauge import read_status
from sandbox.guest.seccomp_filter import assemble, student_filter
from sandbox.guest.wire import MIB, Isolation, ProcessSetup, RunLimits

FILE_BYTES = 64 * MIB
STACK_BYTES = 64 * MIB
DESCRIPTORS = 256
# Address space above the monitor's limit, which allocators and frameworks reserve and never use.
RESERVED_BYTES = 512 * MIB
CPU_SLACK_SECONDS = 10
PREPARATION_SECONDS = 10
# Allowances with a GPU: its driver and libraries use host memory and threads, and reserve much more. The preparation
# initialises the GPU, and must be shorter than the host's allowance for loading.
GPU_LIBRARIES_BYTES = 1024 * MIB
GPU_RESERVED_BYTES = 32 * 1024 * MIB
GPU_THREADS = 64
GPU_PREPARATION_SECONDS = 14
# For all boxes of the user together, where the kernel can't count those of one: otherwise a loop would use up the
# host's process numbers before the monitor has listed its processes.
GPU_USER_PROCESSES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """`cores`: for students. `all_cores`: for monitors. `gpu_memory_bytes`: see Settings."""

    isolation: Isolation
    cores: tuple[int, ...]
    all_cores: tuple[int, ...]
    gpu_memory_bytes: int | None = None

    @property
    def has_gpu(self) -> bool:
        return self.gpu_memory_bytes is not None

    @property
    def thread_limit(self) -> int:
        """XLA alone starts about 18 threads on few cores, and aborts the process when it can't."""
        return 64 + 8 * len(self.cores) + (GPU_THREADS if self.has_gpu else 0)

    @property
    def preparation_seconds(self) -> float:
        return GPU_PREPARATION_SECONDS if self.has_gpu else PREPARATION_SECONDS

    @property
    def reserved_bytes(self) -> int:
        return GPU_RESERVED_BYTES if self.has_gpu else RESERVED_BYTES

    def watched(self, limits: RunLimits) -> RunLimits:
        """Return the limits that the monitor enforces."""
        extra_bytes = GPU_LIBRARIES_BYTES if self.has_gpu else 0
        return replace(limits, memory_bytes=limits.memory_bytes + extra_bytes)


def confine(setup: ProcessSetup, surroundings: Surroundings) -> None:
    """Raises OSError, before any code of the student has run."""
    os.sched_setaffinity(0, surroundings.cores)
    data_bytes = read_status("self").data_bytes
    if surroundings.isolation == "namespaces":
        isolation.cover_mounts(gpu=surroundings.has_gpu)
    else:
        _renew_tmp()
    os.chdir("/tmp")
    os.umask(0o077)
    _limit_resources(setup, surroundings, data_bytes)
    system_calls.empty_bounding_set()
    system_calls.drop_capabilities()
    system_calls.forbid_new_privileges()
    system_calls.set_dumpable(is_dumpable=False)  # also keeps a crash from reaching the host's core dump program
    system_calls.die_with_parent()
    system_calls.install_filter(assemble(student_filter(os.getpid(), gpu=surroundings.has_gpu)))


def _renew_tmp() -> None:
    """Reset the mode and times that the last student left: in an ordinary user's boxes the student owns the folder."""
    with suppress(PermissionError):
        os.chmod("/tmp", 0o1777)  # noqa: PTH101
    os.utime("/tmp")


def _limit_resources(setup: ProcessSetup, surroundings: Surroundings, data_bytes: int) -> None:
    """Set backstops. The monitor's limits are lower and normally apply first."""
    _limit(resource.RLIMIT_CPU, setup.cpu_seconds * len(surroundings.cores) + CPU_SLACK_SECONDS)
    # Relative to the current size: libraries reserve 0.3 GiB on 2 cores and 2.7 GiB on 64 before any work.
    _limit(resource.RLIMIT_DATA, data_bytes + setup.memory_bytes + surroundings.reserved_bytes)
    _limit(resource.RLIMIT_STACK, STACK_BYTES)  # no part of RLIMIT_DATA
    _limit(resource.RLIMIT_FSIZE, FILE_BYTES)
    _limit(resource.RLIMIT_NOFILE, DESCRIPTORS)
    _limit(resource.RLIMIT_CORE, 0)
    if surroundings.isolation == "namespaces" and _counts_processes_by_namespace():
        _limit(resource.RLIMIT_NPROC, surroundings.thread_limit)
    elif surroundings.has_gpu:
        _limit(resource.RLIMIT_NPROC, GPU_USER_PROCESSES)


def _limit(what: int, value: int) -> None:
    hard = resource.getrlimit(what)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(what, (value, value))


def _counts_processes_by_namespace() -> bool:
    """Older kernels count all processes of the user on the host, so there only the monitor limits threads."""
    major, minor = platform.release().split(".")[:2]
    return (int(major), int("".join(filter(str.isdigit, minor)))) >= (5, 14)
