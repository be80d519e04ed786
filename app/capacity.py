"""How much of this machine, or of the container around us, there is to judge with."""

import os
from collections.abc import Iterator
from pathlib import Path

# What a judging's box holds at its peak: a framework, the compiler, the arrays of a case.
SLOT_BYTES = 3 * 2**29
MOST_SLOTS = 256


def count_slots(root: Path = Path("/")) -> int:
    """Judgings at once: one per core that we may use, as far as the memory goes, and at least one.

    `root` holds `proc` and `sys`.
    """
    return max(1, min(count_cores(root), MOST_SLOTS, _available_bytes(root) // SLOT_BYTES))


def count_cores(root: Path = Path("/")) -> int:
    """Cores that this process may use, by its affinity and the quotas of its control groups; at least one."""
    return max(1, min([len(os.sched_getaffinity(0)), *map(int, _cpu_quotas(root))]))


def count_background_slots(slots: int) -> int:
    """How many of a worker's slots what nobody waits for may hold: all but one, and the only one while it is free."""
    return max(1, slots - 1)


def _cpu_quotas(root: Path) -> Iterator[float]:
    """In cores, of our control group and of those above it. A container may see its own group as the topmost."""
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
    """Of `QUOTA PERIOD`; no quota is `max` in version 2, -1 in version 1, and a file that is not there."""
    words = text.split()
    has_quota = len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]) > 0
    return [int(words[0]) / int(words[1])] if has_quota else []


def _available_bytes(root: Path) -> int:
    for line in _read(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return SLOT_BYTES


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""
