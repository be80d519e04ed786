"""Brings the GPU up in the student's process, before the source is loaded.

So its seconds and its context's memory are counted as nobody's; a GPU that does not work is our failure, never the
student's; and the limits inside the process stand before the source could choose others. Not verified on hardware.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

# Opened by whatever initialises CUDA, and by nothing that only asks whether there is a GPU.
CONTEXT_DEVICE = "/dev/nvidia-uvm"


class UnexpectedDevices(Exception):
    """The box shows another number of GPUs than one."""


def bring_up(memory_bytes: int, gpu_memory_bytes: int) -> None:
    """`memory_bytes`: how much of the GPU's memory this process may take. Raises whatever the frameworks raise."""
    share = min(1.0, memory_bytes / gpu_memory_bytes)
    os.environ["XLA_CLIENT_MEM_FRACTION"] = f"{share:.8f}"  # XLA_PYTHON_CLIENT_MEM_FRACTION is its former name
    if "torch" in sys.modules:
        _bring_up_torch(share)
    if "jax" in sys.modules:
        _bring_up_jax()


def holds_cuda_context(descriptors: Path) -> bool:
    """`descriptors`: a process's folder of links to its open files."""
    targets = []
    for link in descriptors.iterdir():
        with suppress(OSError):  # that of the folder itself
            targets.append(str(link.readlink()))
    return CONTEXT_DEVICE in targets


def _bring_up_torch(share: float) -> None:
    cuda = sys.modules["torch"].cuda
    cuda.init()
    if cuda.device_count() != 1:
        raise UnexpectedDevices(f"torch sees {cuda.device_count()} GPUs")
    cuda.set_per_process_memory_fraction(share, 0)


def _bring_up_jax() -> None:
    devices = sys.modules["jax"].devices()
    if [device.platform for device in devices] != ["gpu"]:
        raise UnexpectedDevices(f"jax sees {devices}")
