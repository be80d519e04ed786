"""The CPU time of a server's processes: web process, worker, boxes and PostgreSQL, the ended ones included.

Other processes of the machine count in none of these figures. But on a busy machine work of low priority hardly runs,
and a server looks idle that is not.
"""

import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path

import psutil

from tests.serving import Served

# A server is idle once its processes have used less than this share of a core for so long.
IDLE_CORES = 0.05
IDLE_SECONDS = 5.0
LOOK_SECONDS = 0.5

Cpu = Mapping[str, float]


def cpu_of(process: psutil.Process) -> float:
    """Return the CPU seconds of a process, and of its children that still run or were waited for."""
    seconds = 0.0
    for each in (process, *process.children(recursive=True)):
        try:
            seconds += sum(each.cpu_times()[:4])
        except psutil.NoSuchProcess:
            continue
    return seconds


def find_postgres(data: Path) -> psutil.Process:
    """Return the embedded PostgreSQL of a data folder."""
    return psutil.Process(int((data / "postgres" / "cluster" / "postmaster.pid").read_text().split()[0]))


def read_cpu(served: Served) -> Cpu:
    """Return the CPU seconds so far by kind of process. A worker has started all boxes, and waits for each."""
    workers = [psutil.Process(pid) for pid in served.worker_pids()]
    own = sum(sum(worker.cpu_times()[:2]) for worker in workers)
    return {
        "web process": sum(psutil.Process(served.process.pid).cpu_times()[:2]),
        "database": cpu_of(find_postgres(served.data)),
        "worker": own,
        "boxes": sum(map(cpu_of, workers)) - own,
    }


def wait_for_idle_server(served: Served, patience_seconds: float) -> float:
    """Return how many seconds passed until the server was idle. Raises TimeoutError if it stays busy."""
    begun = time.monotonic()
    looks: deque[tuple[float, float]] = deque()
    while True:
        now, used = time.monotonic(), sum(read_cpu(served).values())
        looks.append((now, used))
        while now - looks[0][0] >= IDLE_SECONDS:
            since, before = looks.popleft()
            if used - before < IDLE_CORES * (now - since):
                return since - begun
        if now - begun > patience_seconds:
            raise TimeoutError(f"the server was not idle within {patience_seconds:.0f} s")
        time.sleep(LOOK_SECONDS)
