"""The option `--gpus`: `all`, or the GPU numbers that `nvidia-smi` shows. Its default is what Slurm gave to the job."""

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

from app.catalog.package import Package
from app.errors import AllcloseError
from sandbox.gpu.driver import Driver, Gpu, open_driver
from sandbox.gpu.gpu_lease import Gpus, reserved
from sandbox.interface import SandboxUnavailable

NUMBERS = re.compile(r"\d{1,3}(,\d{1,3})*")

_log = logging.getLogger(__name__)


class BadGpuChoice(AllcloseError):
    """The option does not name GPUs of this machine."""


def default_choice() -> str:
    """Return the GPUs of CUDA_VISIBLE_DEVICES, which Slurm sets for a job, or `all`. Raises BadGpuChoice."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None and "SLURM_JOB_ID" not in os.environ:
        return "all"
    if not NUMBERS.fullmatch(visible or ""):
        raise BadGpuChoice(
            f"CUDA_VISIBLE_DEVICES is {visible!r} and names no GPU: submit the Slurm job with --gpus-per-node=1, "
            "or pass --gpus with numbers that nvidia-smi shows"
        )
    return str(visible)


@contextmanager
def use_gpus(choice: str, driver: Driver | None = None) -> Iterator[Gpus]:
    """Reserve GPUs for this process. Raises SandboxUnavailable without a driver or GPU, or if a worker holds one."""
    driver = driver or open_driver()
    chosen = choose(choice, driver.list_gpus())
    for gpu in chosen:
        if others := sorted(driver.use_of(gpu).processes):
            _log.warning("the processes %s use GPU %d; judgings on a shared GPU fail and run again", others, gpu.index)
    with reserved(chosen):
        yield Gpus(driver, chosen)


def as_judged_here(package: Package) -> Package:
    """Return the package as this machine judges it: by interpreter if it may be, and no GPU is here."""
    if not package.manifest.limits.interpreter:
        return package
    try:
        return package if open_driver().list_gpus() else package.interpreted
    except SandboxUnavailable:
        return package.interpreted


def choose(choice: str, present: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Return the GPUs that the option names. Raises BadGpuChoice, or SandboxUnavailable without any GPU."""
    if choice != "all" and not NUMBERS.fullmatch(choice):
        raise BadGpuChoice(f"--gpus takes `all` or numbers that nvidia-smi shows, such as 0,1; {choice!r} is neither")
    if not present:
        raise SandboxUnavailable("NVIDIA's driver is installed but shows no GPU: run nvidia-smi to find out why")
    if choice == "all":
        return present
    numbers = sorted(set(map(int, choice.split(","))))
    if missing := [number for number in numbers if number >= len(present)]:
        known = "0" if len(present) == 1 else f"0–{len(present) - 1}"
        raise BadGpuChoice(f"no such GPU {', '.join(map(str, missing))}: this machine has {known}")
    return tuple(present[number] for number in numbers)
