"""Which launcher this host gets."""

import os
from pathlib import Path
from typing import Literal

from sandbox.bubblewrap import BubblewrapLauncher
from sandbox.interface import Launcher, SandboxUnavailable
from sandbox.runtime import find_runtime


def choose_launcher(
    sandbox: Literal["auto", "docker", "bubblewrap"],
    runtime: Path,
    *,
    isolation: Literal["any", "namespaces", "shared"] = "any",
    cores_per_box: int = 1,
    cache_folder: Path | None = None,
) -> Launcher:
    """Raises SandboxUnavailable. Boxes read compiled programs from `cache_folder`, if there is one."""
    if sandbox == "docker":
        raise SandboxUnavailable("this version has no Docker launcher: set ALLCLOSE_SANDBOX=bubblewrap, or unset it")
    if cache_folder is not None:
        _make_readable(cache_folder)
    return BubblewrapLauncher(
        runtime=find_runtime(runtime), isolation=isolation, cores_per_box=cores_per_box, cache=cache_folder
    )


def _make_readable(folder: Path) -> None:
    """As root the guest is another user, who must read it whatever the umask is."""
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        folder.chmod(0o755)
