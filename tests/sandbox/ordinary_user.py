"""Turn a process that runs as root into one of an ordinary user."""

import os
import sys
from pathlib import Path

from sandbox.guest import system_calls

USER = 12345
PROJECT = Path(__file__).parents[2]


def become_ordinary() -> None:
    """Become an ordinary user in a new mount namespace, where all users can reach the Python installation."""
    system_calls.unshare(system_calls.CLONE_NEWNS)
    system_calls.mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
    for folder in (Path(sys.base_prefix), PROJECT):
        _open_way(folder)
    os.setgroups([])
    os.setresgid(USER, USER, USER)
    os.setresuid(USER, USER, USER)


def _open_way(folder: Path) -> None:
    """Covers the first closed folder above with an empty one that holds only the way to `folder`."""
    closed = next((parent for parent in reversed(folder.parents) if not parent.stat().st_mode & 0o001), None)
    if closed is None:
        return
    held = os.open(folder, os.O_PATH)
    system_calls.mount("tmpfs", str(closed), "tmpfs", system_calls.MS_NOSUID, "mode=755")
    folder.mkdir(parents=True)
    system_calls.mount(f"/proc/self/fd/{held}", str(folder), None, system_calls.MS_BIND | system_calls.MS_REC)
    os.close(held)
