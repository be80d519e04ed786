"""Containers of workers that are dead. Mostly they end by themselves, when their stdin closes; the rest is found here.

Each box has a label that says whose it is. A process of this host, seen from here, can be asked whether it lives; a
box of another host, or of another container's process, is left alone while it runs.
"""

import json
import os
import socket
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.docker.container import remove
from sandbox.docker.engine import answering

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

LABEL = "org.allclose.box"
# A box that has ended and was not removed is nobody's.
_OVER = ("exited", "dead")


def this_process() -> str:
    """Who makes a box, for its label."""
    return json.dumps({**_place(), "pid": os.getpid(), "started": _start_time(os.getpid())})


def find_orphans(engine: "DockerClient") -> "list[Container]":
    """Raises SandboxUnavailable."""
    with answering("to list its boxes"):
        boxes = engine.containers.list(all=True, filters={"label": LABEL}, ignore_removed=True)
    return [box for box in boxes if box.status in _OVER or _is_dead(box.labels[LABEL])]


def remove_orphans(engine: "DockerClient") -> int:
    """Raises SandboxUnavailable. How many there were."""
    orphans = find_orphans(engine)
    for orphan in orphans:
        remove(orphan)
    return len(orphans)


def _is_dead(label: str) -> bool:
    try:
        owner = json.loads(label)
    except ValueError:
        return False
    is_ours_to_tell = isinstance(owner, dict) and all(owner.get(key) == value for key, value in _place().items())
    return is_ours_to_tell and not _lives(owner["pid"], owner["started"])


def _lives(pid: int, started: str) -> bool:
    """A number is given again, a time is not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's, whom /proc may hide from us (hidepid)
        return _start_time(pid) in (None, started)
    return _start_time(pid) == started


@cache
def _place() -> dict[str, str]:
    """Where the number of a process means something: a host, since it was started, and a namespace there."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"host": socket.gethostname(), "boot": boot, "namespace": str(Path("/proc/self/ns/pid").readlink())}


def _start_time(pid: int) -> str | None:
    """In the kernel's ticks; none if there is no such process, or it has ended. Raises OSError when nobody can tell."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if after_name[0] in "ZX" else after_name[19]
