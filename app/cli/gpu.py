"""Which GPUs a command may use: `--gpus all`, or numbers as `nvidia-smi` shows them."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from app.errors import AllcloseError
from sandbox.gpu.driver import Driver, Gpu, open_driver
from sandbox.gpu.lease import Gpus, reserved
from sandbox.interface import SandboxUnavailable

_log = logging.getLogger(__name__)


class BadGpuChoice(AllcloseError):
    """The option names something else than GPUs of this machine."""


@contextmanager
def use_gpus(choice: str, driver: Driver | None = None) -> Iterator[Gpus]:
    """For this process alone. Raises SandboxUnavailable without driver or GPU, and when another worker has it."""
    driver = driver or open_driver()
    chosen = choose(choice, driver.list_gpus())
    for gpu in chosen:
        if others := sorted(driver.use_of(gpu).processes):
            text = (
                "GPU %d is used by the processes %s: a worker needs its GPUs for itself, or judgings fail and run again"
            )
            _log.warning(text, gpu.index, others)
    with reserved(chosen):
        yield Gpus(driver, chosen)


def choose(choice: str, present: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Raises BadGpuChoice; SandboxUnavailable when there is none to choose."""
    if choice != "all" and not re.fullmatch(r"\d{1,3}(,\d{1,3})*", choice):
        raise BadGpuChoice(f"--gpus takes `all`, or numbers as nvidia-smi shows them, say 0,1; {choice!r} is neither")
    if not present:
        raise SandboxUnavailable("NVIDIA's driver is here and shows no GPU: look at nvidia-smi")
    if choice == "all":
        return present
    numbers = sorted(set(map(int, choice.split(","))))
    if missing := [number for number in numbers if number >= len(present)]:
        known = "0" if len(present) == 1 else f"0–{len(present) - 1}"
        raise BadGpuChoice(f"no such GPU {', '.join(map(str, missing))}: this machine has {known}")
    return tuple(present[number] for number in numbers)
