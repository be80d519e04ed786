"""Find and remove containers of dead workers. Most end by themselves when their stdin closes.

Each box has a label that names its worker's process. A process of the same host and PID namespace can be checked.
Running boxes of other hosts or namespaces are left alone.
"""

import json
import os
import socket
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.docker.container import remove
from sandbox.docker.engine_client import answering

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

LABEL = "org.allclose.box"
# A box in these states has ended and was not removed.
_OVER = ("exited", "dead")


def this_process() -> str:
    """Return the label's value for boxes of this process."""
    return json.dumps({**_place(), "pid": os.getpid(), "started": start_time(os.getpid())})


def find_orphans(engine: "DockerClient") -> "list[Container]":
    """Return them with their id, state and labels only. Raises SandboxUnavailable."""
    with answering("to list its boxes"):
        # Without `sparse`, the library sends another request for every box.
        boxes = engine.containers.list(all=True, filters={"label": LABEL}, sparse=True)
    return [box for box in boxes if box.status in _OVER or is_dead(box.attrs["Labels"][LABEL])]


def remove_orphans(engine: "DockerClient") -> int:
    """Return how many were removed. Raises SandboxUnavailable."""
    orphans = find_orphans(engine)
    for orphan in orphans:
        remove(orphan)
    return len(orphans)


def is_dead(label: str) -> bool:
    """Whether the process that `this_process` named has ended. False if that can't be told from here."""
    try:
        owner = json.loads(label)
    except ValueError:
        return False
    is_ours_to_tell = isinstance(owner, dict) and all(owner.get(key) == value for key, value in _place().items())
    return is_ours_to_tell and not _lives(owner["pid"], owner["started"])


def _lives(pid: int, started: str) -> bool:
    """A PID can be reused; a PID with its start time can't."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process, which /proc may hide (hidepid)
        return start_time(pid) in (None, started)
    return start_time(pid) == started


@cache
def _place() -> dict[str, str]:
    """Return the scope of a PID: the host, its boot and the PID namespace."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return {"host": socket.gethostname(), "boot": boot, "namespace": str(Path("/proc/self/ns/pid").readlink())}


def start_time(pid: int) -> str | None:
    """Return the start time in clock ticks; None if the process has ended. Raises OSError if it can't be read."""
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if after_name[0] in "ZX" else after_name[19]
