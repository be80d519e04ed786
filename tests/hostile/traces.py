"""Traces of a submission, seen from the host: in its box, at the box's first process, on the machine."""

import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from sandbox.docker.orphans import LABEL, this_process

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

IPC = ("shm", "sem", "msg")
SOCKETS = ("unix", "tcp", "tcp6", "udp", "udp6", "raw", "raw6", "packet", "netlink")
FOLDERS = ("tmp", "dev/shm", "dev/mqueue")
STANDING = ("Uid", "Gid", "Groups", "Threads", "FDSize", "SigBlk", "SigIgn", "SigCgt", "CapEff", "CapBnd", "Seccomp")


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """`files` and `ipc` need root to be seen, and are empty without. `standing`: what the first process may do."""

    processes: tuple[str, ...]
    files: tuple[str, ...]
    ipc: tuple[str, ...]
    sockets: dict[str, int]
    mounts: tuple[str, ...]
    standing: dict[str, str]
    descriptors: int
    on_host: "HostTraces"


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTraces:
    """Traces on the machine of the user that boxes run as; `containers` and `children` belong to Allclose's boxes."""

    containers: int
    children: int
    shared_memory: tuple[str, ...]
    ipc: tuple[str, ...]
    keys: str


def traces_of(pid: int, engine: "DockerClient | None") -> Traces:
    """`pid`: a box's first process, between two runs; `engine`: if it is one of its."""
    status = _status(pid)
    return Traces(
        processes=tuple(str(child) for child in psutil.Process(pid).children()),
        files=_as_root(lambda: _files(Path(f"/proc/{pid}/root"))),
        ipc=_as_root(lambda: _ipc_of(pid)),
        sockets={name: _count_lines(Path(f"/proc/{pid}/net/{name}")) for name in SOCKETS},
        mounts=tuple(sorted(_mount(line) for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines())),
        standing={name: status.get(name, "") for name in STANDING} | _limits(pid),
        descriptors=len(_as_root(lambda: tuple(name.name for name in Path(f"/proc/{pid}/fd").iterdir()))),
        on_host=_host_traces(int(status["Uid"].split()[0]), engine),
    )


def _host_traces(uid: int, engine: "DockerClient | None") -> HostTraces:
    shared = Path("/dev/shm")
    keys = re.search(rf"^ *{uid}: .*$", Path("/proc/key-users").read_text(), re.MULTILINE)
    return HostTraces(
        containers=0 if engine is None else len(_containers(engine)),
        children=len(psutil.Process().children()),
        shared_memory=tuple(sorted(path.name for path in shared.iterdir() if path.lstat().st_uid == uid)),
        ipc=tuple(line for name in IPC for line in _rows(Path(f"/proc/sysvipc/{name}").read_text(), uid)),
        keys=keys[0] if keys else "",
    )


def _containers(engine: "DockerClient") -> "list[Container]":
    mine = f"{LABEL}={this_process()}"
    return engine.containers.list(all=True, filters={"label": mine}, ignore_removed=True)


def _files(root: Path) -> tuple[str, ...]:
    return tuple(str(path) for folder in FOLDERS if (root / folder).is_dir() for path in (root / folder).rglob("*"))


def _ipc_of(pid: int) -> tuple[str, ...]:
    """/proc/sysvipc shows its reader's namespace."""
    command = ["nsenter", f"--ipc=/proc/{pid}/ns/ipc", "cat", *(f"/proc/sysvipc/{name}" for name in IPC)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tuple(line for line in listed.splitlines() if not line.lstrip().startswith("key"))


def _rows(table: str, uid: int) -> list[str]:
    return [line for line in table.splitlines()[1:] if str(uid) in line.split()]


def _count_lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def _mount(line: str) -> str:
    """Leave out the numbers, which differ from box to box, and mark mounts that the host would see too."""
    before, _, after = line.partition(" - ")
    _, _, _, _, point, options, *propagation = before.split()
    reaches_host = any(field.startswith("shared:") for field in propagation)
    return " ".join((point, options, after.split()[0], *("reaches the host",) * reaches_host))


def _status(pid: int) -> dict[str, str]:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _limits(pid: int) -> dict[str, str]:
    names = ("limits", "oom_score_adj", "timerslack_ns", "autogroup")
    found = {name: Path(f"/proc/{pid}/{name}") for name in names}
    return {name: path.read_text() for name, path in found.items() if path.exists() and os.access(path, os.R_OK)}


def _as_root(look: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    return look() if os.geteuid() == 0 else ()
