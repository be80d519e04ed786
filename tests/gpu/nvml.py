"""A fake of the module `pynvml`: the test sets the GPUs' memory and processes, and may break them."""

from ctypes.util import find_library
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

GIB = 2**30
# For tests of what is said where there is no driver.
without_driver = pytest.mark.skipif(find_library("nvidia-ml") is not None, reason="this machine has NVIDIA's driver")
NOT_SUPPORTED, NO_PERMISSION, LIBRARY_NOT_FOUND, GPU_IS_LOST, UNKNOWN = 3, 4, 12, 15, 999
_TEXTS = {
    NOT_SUPPORTED: "Not Supported",
    NO_PERMISSION: "Insufficient Permissions",
    LIBRARY_NOT_FOUND: "NVML Shared Library Not Found",
    GPU_IS_LOST: "GPU is lost",
    UNKNOWN: "Unknown Error",
}


class FakeError(Exception):
    """An error that carries a number, like the library's own."""

    def __init__(self, value: int) -> None:
        super().__init__(_TEXTS[value])
        self.value = value


@dataclass
class FakeGpu:
    """`failing`: the number of the error with which every question is answered."""

    uuid: str
    minor: int
    name: str = "NVIDIA Imaginary"
    total: int = 80 * GIB
    used: int = GIB // 2
    processes: list[int] = field(default_factory=list)
    failing: int | None = None
    hides_processes: bool = False


class FakeNvml:
    NVMLError = FakeError
    NVML_ERROR_NOT_SUPPORTED = NOT_SUPPORTED
    NVML_ERROR_NO_PERMISSION = NO_PERMISSION

    def __init__(self, *gpus: FakeGpu, has_driver: bool = True) -> None:
        self.gpus, self._has_driver = gpus, has_driver

    def nvmlInit(self) -> None:  # noqa: N802
        if not self._has_driver:
            raise FakeError(LIBRARY_NOT_FOUND)

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        return "580.0"

    def nvmlDeviceGetCount(self) -> int:  # noqa: N802
        return len(self.gpus)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> FakeGpu:  # noqa: N802
        return self._answering(self.gpus[index])

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> FakeGpu:  # noqa: N802
        return self._answering(next(gpu for gpu in self.gpus if gpu.uuid == uuid))

    def nvmlDeviceGetUUID(self, handle: FakeGpu) -> str:  # noqa: N802
        return handle.uuid

    def nvmlDeviceGetName(self, handle: FakeGpu) -> str:  # noqa: N802
        return handle.name

    def nvmlDeviceGetMinorNumber(self, handle: FakeGpu) -> int:  # noqa: N802
        return handle.minor

    def nvmlDeviceGetMemoryInfo(self, handle: FakeGpu) -> Any:  # noqa: N802
        return SimpleNamespace(total=handle.total, used=self._answering(handle).used)

    def nvmlDeviceGetComputeRunningProcesses(self, handle: FakeGpu) -> list[Any]:  # noqa: N802
        if handle.hides_processes:
            raise FakeError(NOT_SUPPORTED)
        return [SimpleNamespace(pid=pid) for pid in self._answering(handle).processes]

    def _answering(self, gpu: FakeGpu) -> FakeGpu:
        if gpu.failing is not None:
            raise FakeError(gpu.failing)
        return gpu


def make_devices(folder: Path) -> Path:
    """The files of three GPUs, none of which does anything."""
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (folder / name).symlink_to("/dev/null")
    return folder


def make_gpus(count: int = 1) -> FakeNvml:
    """Device files are numbered the other way round than the GPUs are, as on some machines."""
    return FakeNvml(*(FakeGpu(uuid=f"GPU-{index}", minor=count - 1 - index) for index in range(count)))
