"""The machine's GPUs and their current use, as reported by NVIDIA's management library (NVML)."""

import importlib
from dataclasses import dataclass
from typing import Any, Protocol

from sandbox.interface import DeviceLost, SandboxUnavailable

NO_DRIVER = "install NVIDIA's driver, or run the worker of the queue gpu on a machine that has a GPU and its driver"


class Nvml(Protocol):
    """The part of the module `pynvml` that is used here. Every failure raises its NVMLError, which has a `value`."""

    NVML_ERROR_NOT_SUPPORTED: int
    NVML_ERROR_NO_PERMISSION: int

    @property
    def NVMLError(self) -> type[Exception]: ...  # noqa: N802
    def nvmlInit(self) -> None: ...  # noqa: N802
    def nvmlSystemGetDriverVersion(self) -> str: ...  # noqa: N802
    def nvmlDeviceGetCount(self) -> int: ...  # noqa: N802
    def nvmlDeviceGetHandleByIndex(self, index: int) -> Any: ...  # noqa: N802
    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Any: ...  # noqa: N802
    def nvmlDeviceGetUUID(self, handle: Any) -> str: ...  # noqa: N802
    def nvmlDeviceGetName(self, handle: Any) -> str: ...  # noqa: N802
    def nvmlDeviceGetMinorNumber(self, handle: Any) -> int: ...  # noqa: N802
    def nvmlDeviceGetMemoryInfo(self, handle: Any) -> Any: ...  # noqa: N802
    def nvmlDeviceGetComputeRunningProcesses(self, handle: Any) -> list[Any]: ...  # noqa: N802


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """`index`: the number in `nvidia-smi`. `minor`: the number in the name of its device file, which may differ."""

    index: int
    minor: int
    uuid: str
    name: str
    memory_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """The current use of a GPU. `processes`: host PIDs, as far as the driver reports them."""

    memory_bytes: int
    processes: frozenset[int]


class Driver:
    """Wraps the initialised module `pynvml`."""

    def __init__(self, library: Nvml) -> None:
        self._library = library

    @property
    def version(self) -> str:
        return str(self._library.nvmlSystemGetDriverVersion())

    def list_gpus(self) -> tuple[Gpu, ...]:
        """Raises SandboxUnavailable."""
        try:
            return tuple(self._read(index) for index in range(self._library.nvmlDeviceGetCount()))
        except self._library.NVMLError as error:
            raise SandboxUnavailable(f"NVIDIA's driver does not list its GPUs ({error}): run nvidia-smi") from None

    def use_of(self, gpu: Gpu) -> Use:
        """Raises DeviceLost: no verdict may rest on a GPU that does not answer, whatever the reason."""
        library = self._library
        try:
            handle = library.nvmlDeviceGetHandleByUUID(gpu.uuid)
            memory_bytes = int(library.nvmlDeviceGetMemoryInfo(handle).used)
            return Use(memory_bytes=memory_bytes, processes=self._processes(handle))
        except library.NVMLError as error:
            text = f"GPU {gpu.index} ({gpu.name}) no longer answers ({error}): look at nvidia-smi and dmesg, "
            raise DeviceLost(text + "reset it or restart the machine, and start the worker again") from None

    def _read(self, index: int) -> Gpu:
        handle = self._library.nvmlDeviceGetHandleByIndex(index)
        return Gpu(
            index=index,
            minor=int(self._library.nvmlDeviceGetMinorNumber(handle)),
            uuid=str(self._library.nvmlDeviceGetUUID(handle)),
            name=str(self._library.nvmlDeviceGetName(handle)),
            memory_bytes=int(self._library.nvmlDeviceGetMemoryInfo(handle).total),
        )

    def _processes(self, handle: Any) -> frozenset[int]:
        """Return an empty set where the driver does not report processes, as in some virtual machines."""
        library = self._library
        try:
            return frozenset(int(process.pid) for process in library.nvmlDeviceGetComputeRunningProcesses(handle))
        except library.NVMLError as error:
            if error.value in (library.NVML_ERROR_NOT_SUPPORTED, library.NVML_ERROR_NO_PERMISSION):  # type: ignore[attr-defined]
                return frozenset()
            raise


def open_driver(library: Nvml | None = None) -> Driver:
    """Load NVML and connect to the driver. Raises SandboxUnavailable where there is no driver.

    The library is loaded here because most machines have no GPU.
    """
    found: Nvml = library or importlib.import_module("pynvml")
    try:
        found.nvmlInit()
    except found.NVMLError as error:
        raise SandboxUnavailable(f"this machine has no NVIDIA driver ({error}): {NO_DRIVER}") from None
    return Driver(found)
