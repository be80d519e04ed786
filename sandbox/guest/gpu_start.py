"""Initialise the GPU in the student's process, before the source is loaded.

So the student is not charged for its time or its context's memory, and a GPU that fails is not the student's fault. The
limits inside the process are set before the source could choose others.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

# A process opens this device when it initialises CUDA, but not when it only looks for a GPU.
CONTEXT_DEVICE = "/dev/nvidia-uvm"


class UnexpectedDevices(Exception):
    """The box does not show exactly one GPU."""


def bring_up(memory_bytes: int, gpu_memory_bytes: int) -> None:
    """`memory_bytes`: how much of the GPU's memory this process may use. Raises the frameworks' exceptions."""
    share = min(1.0, memory_bytes / gpu_memory_bytes)
    keep_float32()
    os.environ["XLA_CLIENT_MEM_FRACTION"] = f"{share:.8f}"  # XLA_PYTHON_CLIENT_MEM_FRACTION is its former name
    if "torch" in sys.modules:
        _bring_up_torch(share)
    if "jax" in sys.modules:
        _bring_up_jax()


def keep_float32() -> None:
    """Let products of float32 be computed in float32, and not in TF32, unless the source asks for it."""
    os.environ["TRITON_F32_DEFAULT"] = "ieee"
    if "torch" in sys.modules:
        sys.modules["torch"].backends.cudnn.allow_tf32 = False  # for matrices it is off by default
    if "jax" in sys.modules:
        sys.modules["jax"].config.update("jax_default_matmul_precision", "highest")


def holds_cuda_context(descriptors: Path) -> bool:
    """`descriptors`: the /proc folder with the links to a process's open files."""
    targets = []
    for link in descriptors.iterdir():
        with suppress(OSError):  # the descriptor of this folder
            targets.append(str(link.readlink()))
    return CONTEXT_DEVICE in targets


def _bring_up_torch(share: float) -> None:
    cuda = sys.modules["torch"].cuda
    cuda.init()
    if cuda.device_count() != 1:
        raise UnexpectedDevices(f"torch sees {cuda.device_count()} GPUs")
    cuda.set_per_process_memory_fraction(share, 0)


def _bring_up_jax() -> None:
    """A program is compiled too: without ptxas every student's would fail."""
    jax = sys.modules["jax"]
    devices = jax.devices()
    if [device.platform for device in devices] != ["gpu"]:
        raise UnexpectedDevices(f"jax sees {devices}")
    jax.jit(lambda x: x + 1)(1.0)
