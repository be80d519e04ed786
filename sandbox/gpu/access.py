"""The device files and driver libraries that a box needs to use a GPU.

An engine's NVIDIA runtime adds them to its containers by itself.
"""

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from sandbox.gpu.driver import Gpu
from sandbox.interface import SandboxUnavailable

NVML_FILE = "libnvidia-ml.so"
# The loader's default folders. In LD_LIBRARY_PATH such a folder would come before the wheels' own libraries.
_KNOWN_FOLDERS = frozenset(
    Path(root, name) for root in ("/usr", "/") for name in ("lib", "lib64", f"lib/{platform.machine()}-linux-gnu")
)
# The driver finds its devices here.
_SYSTEM_FILES = Path("/sys")


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """`devices` and `folders` appear in the box under the same names."""

    devices: tuple[Path, ...]
    folders: tuple[Path, ...]
    variables: dict[str, str]


def find_access(gpu: Gpu, devices: Path) -> Access:
    """Return what the box needs for this GPU. `devices`: the folder of device files. Raises SandboxUnavailable."""
    libraries = find_libraries(Path("/proc/self/maps").read_text())
    is_found_by_itself = libraries is None or libraries in _KNOWN_FOLDERS
    is_in_every_box = libraries is None or libraries.is_relative_to("/usr")
    return Access(
        devices=_device_files(gpu, devices),
        folders=(_SYSTEM_FILES,) if is_in_every_box or libraries is None else (_SYSTEM_FILES, libraries),
        variables={} if is_found_by_itself else {"LD_LIBRARY_PATH": str(libraries)},
    )


def find_libraries(maps: str) -> Path | None:
    """Return the folder of the driver's libraries: that of the loaded NVML. `maps`: text of /proc/self/maps."""
    paths = (line.split(maxsplit=5)[5] for line in maps.splitlines() if NVML_FILE in line)
    return next((Path(path).parent for path in paths), None)


def _device_files(gpu: Gpu, folder: Path) -> tuple[Path, ...]:
    needed = [folder / name for name in (f"nvidia{gpu.minor}", "nvidiactl", "nvidia-uvm")]
    for path in needed:
        if not path.exists():
            raise SandboxUnavailable(f"{path} does not exist: run `sudo nvidia-modprobe -c {gpu.minor} -u`")
        if not _may_use(path):
            raise SandboxUnavailable(f"boxes may not use {path}: run `sudo chmod a+rw {path}`")
    extra = folder / "nvidia-uvm-tools"
    return (*needed, extra) if extra.exists() and _may_use(extra) else tuple(needed)


def _may_use(path: Path) -> bool:
    """When this process runs as root, the guest runs as another user."""
    if os.geteuid() == 0:
        return path.stat().st_mode & 0o006 == 0o006
    return os.access(path, os.R_OK | os.W_OK)
