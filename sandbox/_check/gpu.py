"""What this host lacks for judging on GPUs. Without one nothing is missing: another machine's worker can do it."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sandbox.docker import DockerOptions, find_image
from sandbox.docker_engine import answering, connect
from sandbox.finding import Finding, Level
from sandbox.gpu_access import find_access
from sandbox.gpu_driver import Driver, Gpu, open_driver
from sandbox.interface import MIB, SandboxUnavailable

NVIDIA = "0x10de"
INSTALL_DRIVER = "sudo apt-get install nvidia-driver  # Debian; Ubuntu: sudo ubuntu-drivers install; then restart"
INSTALL_TOOLKIT = (
    "sudo apt-get install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker"
    " && sudo systemctl restart docker"
)
BUILD = 'make images FLAVOURS="cpu cuda"'
HOOK = "nvidia-container-runtime-hook"


def check_gpu(options: DockerOptions) -> Iterator[Finding]:
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


def without_driver(reason: str, is_there: bool) -> Finding:
    if is_there:
        return _finding("driver", "optional", f"there is a GPU of NVIDIA's, and {reason}", INSTALL_DRIVER)
    return _finding("GPU", "fine", "none, and none is needed: problems for GPUs wait for a worker that has one")


def has_device(folder: Path) -> bool:
    """Whether there is a display or 3D controller of NVIDIA's among the PCI devices."""
    return any(
        _read(device / "vendor") == NVIDIA and _read(device / "class").startswith("0x03") for device in folder.glob("*")
    )


def check_gpus(driver: Driver, gpus: tuple[Gpu, ...]) -> Iterator[Finding]:
    yield _finding("driver", "fine", f"NVIDIA's {driver.version}")
    if not gpus:
        yield _finding("GPU", "optional", "the driver shows none", "nvidia-smi")
    for gpu in gpus:
        yield _check_use(driver, gpu)


def _check_use(driver: Driver, gpu: Gpu) -> Finding:
    try:
        used = driver.use_of(gpu).memory_bytes // MIB
    except SandboxUnavailable as error:
        return _finding("GPU", "optional", str(error), "nvidia-smi")
    text = f"{gpu.index}: {gpu.name}, {gpu.memory_bytes // MIB} MiB of memory, {used} of them in use"
    return _finding("GPU", "fine", text)


def _check_bubblewrap(gpus: tuple[Gpu, ...]) -> Iterator[Finding]:
    """The device files, as bubblewrap's boxes need them."""
    for gpu in gpus:
        try:
            access = find_access(gpu, Path("/dev"))
        except SandboxUnavailable as error:
            text, _, remedy = str(error).partition(": ")
            yield _finding("device files", "optional", text, remedy)
            continue
        yield _finding("device files", "fine", ", ".join(str(path) for path in access.devices))


def _check_docker(options: DockerOptions) -> Iterator[Finding]:
    """Where an engine answers: whether it can hand a GPU on, and the image."""
    try:
        engine = connect()
    except SandboxUnavailable:
        return  # said among Docker's own
    with closing(engine):
        with answering("to tell of itself"):
            runtimes = engine.info().get("Runtimes") or {}
        if "nvidia" in runtimes or shutil.which(HOOK):
            yield _finding("container toolkit", "fine", "the engine can hand GPUs to boxes")
        else:
            yield _finding("container toolkit", "optional", "the engine can't hand GPUs to boxes", INSTALL_TOOLKIT)
        try:
            find_image(engine, options.cuda_image)
        except SandboxUnavailable as error:
            yield _finding("image", "optional", str(error), BUILD)
        else:
            yield _finding("image", "fine", f"{options.cuda_image}, built from this guest")


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _finding(name: str, level: Level, text: str, remedy: str = "") -> Finding:
    return Finding(part="gpu", name=name, level=level, text=text, remedy=remedy)
