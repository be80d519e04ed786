"""The number of judgings that a machine runs at once, read from folders as the kernel lays them out."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.capacity import SLOT_BYTES, count_cores, count_slots

CORES = 8


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with 8 cores and memory for 16 boxes."""
    for name in ("CPUS_ON_NODE", "MEM_PER_NODE", "MEM_PER_CPU"):
        monkeypatch.delenv(f"SLURM_{name}", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)))
    write(tmp_path / "proc/meminfo", f"MemTotal: 999999999 kB\nMemAvailable: {16 * SLOT_BYTES // 1024} kB\n")
    return tmp_path


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_without_a_quota_there_is_one_for_each_core(machine: Path) -> None:
    assert count_slots(machine) == CORES


@pytest.mark.parametrize(("quota", "slots"), [("300000 100000", 3), ("50000 100000", 1), ("max 100000", CORES)])
def test_a_quota_of_version_2_counts_wherever_it_stands_above_us(machine: Path, quota: str, slots: int) -> None:
    write(machine / "proc/self/cgroup", "0::/judge.slice/worker\n")
    write(machine / "sys/fs/cgroup/judge.slice/cpu.max", quota + "\n")
    write(machine / "sys/fs/cgroup/judge.slice/worker/cpu.max", "max 100000\n")

    assert count_slots(machine) == slots


@pytest.mark.parametrize(("quota", "slots"), [("250000", 2), ("-1", CORES)])
def test_a_quota_of_version_1_counts_where_the_container_sees_it(machine: Path, quota: str, slots: int) -> None:
    write(machine / "proc/self/cgroup", "4:cpuset:/\n2:cpu,cpuacct:/docker/0123\n0::/\n")
    write(machine / "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", quota + "\n")
    write(machine / "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")

    assert count_slots(machine) == slots


@pytest.mark.parametrize(("available", "slots"), [(5 * SLOT_BYTES // 2, 2), (SLOT_BYTES // 4, 1)])
def test_memory_bounds_the_slots_but_leaves_one(machine: Path, available: int, slots: int) -> None:
    write(machine / "proc/meminfo", f"MemAvailable: {available // 1024} kB\n")

    assert count_slots(machine) == slots


def test_the_cores_are_those_of_the_quota_even_without_memory(machine: Path) -> None:
    write(machine / "proc/meminfo", "MemAvailable: 0 kB\n")
    write(machine / "proc/self/cgroup", "0::/worker\n")
    write(machine / "sys/fs/cgroup/worker/cpu.max", "300000 100000\n")

    assert count_cores(machine) == 3


@pytest.mark.parametrize(
    ("job", "slots"),
    [
        ({"CPUS_ON_NODE": "1"}, 1),
        ({"CPUS_ON_NODE": "64"}, CORES),
        ({"CPUS_ON_NODE": "4", "MEM_PER_NODE": "3072"}, 2),
        ({"CPUS_ON_NODE": "4", "MEM_PER_NODE": "0"}, 4),
        ({"CPUS_ON_NODE": "4", "MEM_PER_CPU": "1024"}, 2),
        ({"CPUS_ON_NODE": "4", "MEM_PER_NODE": "100"}, 1),
    ],
)
def test_a_slurm_job_bounds_the_slots_by_its_cores_and_its_memory(
    machine: Path, monkeypatch: pytest.MonkeyPatch, job: dict[str, str], slots: int
) -> None:
    for name, value in job.items():
        monkeypatch.setenv(f"SLURM_{name}", value)

    assert count_slots(machine) == slots


ALLOCATE_IN_THREADS = """
import ctypes, sys, threading
from app.capacity import use_one_heap
if sys.argv[1] == "shared":
    use_one_heap()
together = threading.Barrier(8)
def allocate():
    kept = ctypes.create_string_buffer(50_000)
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
libc.malloc_info(0, ctypes.c_void_p(libc.fopen(b"/dev/stdout", b"w")))
libc.fflush(None)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="counts the heaps of glibc")
@pytest.mark.parametrize(("heaps", "has_one"), [("shared", True), ("own", False)])
def test_threads_share_one_heap(heaps: str, *, has_one: bool) -> None:
    told = subprocess.run(
        [sys.executable, "-c", ALLOCATE_IN_THREADS, heaps], capture_output=True, check=True, text=True
    )

    assert (told.stdout.count("<heap nr=") == 1) is has_one
