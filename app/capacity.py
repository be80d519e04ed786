"""The cores and memory that judging may use: of this machine, container or Slurm job."""

import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

# The peak memory of a judging's box: a framework, the compiler, and the arrays of a case.
SLOT_BYTES = 3 * 2**29
MAX_SLOTS = 256
# A parameter of glibc's mallopt.
M_ARENA_MAX = -8


def count_slots(root: Path = Path("/")) -> int:
    """Return the number of parallel judgings: one per usable core, as far as memory allows, and at least one.

    `root` is the folder of `proc` and `sys`.
    """
    return max(1, min(count_cores(root), MAX_SLOTS, _available_bytes(root) // SLOT_BYTES))


def count_cores(root: Path = Path("/")) -> int:
    """Return the cores that this process may use, by its affinity, its control groups' quotas and its Slurm job.

    At least one.
    """
    return max(1, min([len(os.sched_getaffinity(0)), *map(int, _cpu_quotas(root)), *_of_slurm_job("CPUS_ON_NODE")]))


def count_background_slots(slots: int) -> int:
    """Return how many slots background work may hold: all but one, or the only one."""
    return max(1, slots - 1)


def use_one_heap() -> None:
    """Let all threads of this process share one heap. Call it before there are threads.

    glibc gives each thread its own heap and seldom returns what it freed there. After 3,000 submissions a worker of 20
    threads held 757 MB, and with one heap 338 MB. Other C libraries have no such option.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)


def _cpu_quotas(root: Path) -> Iterator[float]:
    """Yield the CPU quotas, in cores, of this process's control group and its parents."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        for group in (Path(path), *Path(path).parents):
            below = str(group).lstrip("/")
            if not controllers:
                yield from _quota(_read(root / "sys/fs/cgroup" / below / "cpu.max"))
            elif "cpu" in controllers.split(","):
                folder = root / "sys/fs/cgroup" / controllers / below
                yield from _quota(f"{_read(folder / 'cpu.cfs_quota_us')} {_read(folder / 'cpu.cfs_period_us')}")


def _quota(text: str) -> list[float]:
    """Read `QUOTA PERIOD`. No quota is `max` in cgroup version 2, -1 in version 1, or a missing file."""
    words = text.split()
    has_quota = len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]) > 0
    return [int(words[0]) / int(words[1])] if has_quota else []


def _available_bytes(root: Path) -> int:
    """Return the free memory, or less if this Slurm job has less."""
    job_mib = [*_of_slurm_job("MEM_PER_NODE"), *(count_cores(root) * each for each in _of_slurm_job("MEM_PER_CPU"))]
    return min([_free_bytes(root), *(mib * 2**20 for mib in job_mib)])


def _of_slurm_job(name: str) -> list[int]:
    """Return what Slurm gave to this job. Nothing outside of a job; 0 is the whole node."""
    given = os.environ.get(f"SLURM_{name}", "")
    return [int(given)] if given.isdigit() and int(given) > 0 else []


def _free_bytes(root: Path) -> int:
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return SLOT_BYTES


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
