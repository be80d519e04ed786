"""Check whether this host can judge on GPUs. A host needs no GPU: a worker on another machine can have one."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sandbox.check.finding import HostFinding, Level
from sandbox.docker.engine_client import answering, connect
from sandbox.docker.launcher import DockerOptions, find_image
from sandbox.gpu.access import find_access
from sandbox.gpu.driver import Driver, Gpu, open_driver
from sandbox.interface import MIB, SandboxUnavailable

NVIDIA = "0x10de"
INSTALL_DRIVER = "sudo apt-get install nvidia-driver  # Debian; Ubuntu: sudo ubuntu-drivers install; then restart"
INSTALL_TOOLKIT = (
    "sudo apt-get install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker"
    " && sudo systemctl restart docker"
)
BUILD = 'make images FLAVOURS="cpu cuda"'
HOOK = "nvidia-container-runtime-hook"


def check_gpu(options: DockerOptions) -> Iterator[HostFinding]:
    try:
        driver = open_driver()
        gpus = driver.list_gpus()
    except SandboxUnavailable as error:
        yield without_driver(str(error), has_device(Path("/sys/bus/pci/devices")))
        return
    yield from check_gpus(driver, gpus)
    if gpus:
        yield from _check_bubblewrap(gpus)
        yield from _check_docker(options)


def without_driver(reason: str, is_there: bool) -> HostFinding:
    if is_there:
        return _finding("driver", "optional", f"this machine has an NVIDIA GPU, but {reason}", INSTALL_DRIVER)
    return _finding("GPU", "fine", "none, and none is needed: GPU problems wait for a worker with a GPU")


def has_device(folder: Path) -> bool:
    """Whether a PCI device is an NVIDIA display or 3D controller."""
    return any(
        _read(device / "vendor") == NVIDIA and _read(device / "class").startswith("0x03") for device in folder.glob("*")
    )


def check_gpus(driver: Driver, gpus: tuple[Gpu, ...]) -> Iterator[HostFinding]:
    yield _finding("driver", "fine", f"NVIDIA's {driver.version}")
    if not gpus:
        yield _finding("GPU", "optional", "the driver lists none", "nvidia-smi")
    for gpu in gpus:
        yield _check_use(driver, gpu)


def _check_use(driver: Driver, gpu: Gpu) -> HostFinding:
    try:
        used = driver.use_of(gpu).memory_bytes // MIB
    except SandboxUnavailable as error:
        return _finding("GPU", "optional", str(error), "nvidia-smi")
    text = f"{gpu.index}: {gpu.name}, {gpu.memory_bytes // MIB} MiB of memory, {used} of them in use"
    return _finding("GPU", "fine", text)


def _check_bubblewrap(gpus: tuple[Gpu, ...]) -> Iterator[HostFinding]:
    """Check the device files that bubblewrap's boxes need."""
    for gpu in gpus:
        try:
            access = find_access(gpu, Path("/dev"))
        except SandboxUnavailable as error:
            text, _, remedy = str(error).partition(": ")
            yield _finding("device files", "optional", text, remedy)
            continue
        yield _finding("device files", "fine", ", ".join(str(path) for path in access.devices))


def _check_docker(options: DockerOptions) -> Iterator[HostFinding]:
    """If an engine answers, check whether it can pass GPUs to boxes, and whether it has the image."""
    try:
        engine = connect()
    except SandboxUnavailable:
        return  # check_docker reports it
    with closing(engine):
        with answering("to describe itself"):
            runtimes = engine.info().get("Runtimes") or {}
        if "nvidia" in runtimes or shutil.which(HOOK):
            yield _finding("container toolkit", "fine", "the engine can pass GPUs to boxes")
        else:
            yield _finding("container toolkit", "optional", "the engine can't pass GPUs to boxes", INSTALL_TOOLKIT)
        try:
            find_image(engine, options.cuda_image)
        except SandboxUnavailable as error:
            yield _finding("image", "optional", str(error), BUILD)
        else:
            yield _finding("image", "fine", f"{options.cuda_image}, from this version's guest")


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _finding(name: str, level: Level, text: str, remedy: str = "") -> HostFinding:
    return HostFinding(part="gpu", name=name, level=level, text=text, remedy=remedy)
