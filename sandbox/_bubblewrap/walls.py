"""The arguments with which bubblewrap builds a box: namespaces, and what there is to see in it."""

import os
from collections.abc import Mapping
from pathlib import Path

from sandbox.environment import CACHE_IN_BOX, GUEST, GUEST_IN_BOX, GUEST_UID, RUNTIME_IN_BOX
from sandbox.gpu_access import Access
from sandbox.runtime import Runtime

TMP_BYTES = 64 * 2**20
# Until the guest has become nobody, which is the first that it does.
_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
# No /dev/zero: its shared pages are counted as nobody's memory.
_DEVICES = ("null", "full", "random", "urandom")
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/ld.so.cache", "/etc/alternatives")


def namespaces() -> list[str]:
    walls = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    walls += ["--as-pid-1", "--clearenv", "--hostname", "box"]
    if os.geteuid() != 0:
        return [*walls, "--unshare-user", "--uid", str(GUEST_UID), "--gid", str(GUEST_UID)]
    return [*walls, "--cap-drop", "ALL", *(word for name in _CAPABILITIES for word in ("--cap-add", name))]


def contents(runtime: Runtime, cache: Path | None, gpu: Access | None = None) -> list[str]:
    """A root of nothing but read-only folders, four devices and those of a GPU, /proc and /tmp."""
    mounts = [
        *_system(),
        *_devices(gpu),
        "--proc",
        "/proc",
        "--perms",
        "1777",
        "--size",
        str(TMP_BYTES),
        "--tmpfs",
        "/tmp",
    ]
    for path in runtime.base_mounts:
        mounts += _mount("--ro-bind", path, path)
    mounts += _mount("--ro-bind", runtime.folder, RUNTIME_IN_BOX)
    mounts += _mount("--ro-bind", GUEST, GUEST_IN_BOX)
    if cache is not None:
        mounts += _mount("--ro-bind", cache.absolute(), CACHE_IN_BOX)
    for folder in gpu.folders if gpu else ():
        mounts += _mount("--ro-bind", folder, folder)
    return [*mounts, "--remount-ro", "/", "--chdir", "/tmp"]


def closed_to_the_guest(runtime: Runtime) -> tuple[Path, ...]:
    """Folders that it needs and can't read: as root it runs as another user, and a umask of 077 closes them to it."""
    needed = {
        runtime.folder: (runtime.folder, runtime.folder / "pyvenv.cfg", runtime.packages),
        runtime.base: (runtime.base,),
        GUEST: (GUEST, GUEST / "zygote.py"),
    }
    if os.geteuid() != 0:
        return ()
    return tuple(folder for folder, paths in needed.items() if not all(map(_is_open, filter(Path.exists, paths))))


def _is_open(path: Path) -> bool:
    wanted = 0o005 if path.is_dir() else 0o004
    return path.stat().st_mode & wanted == wanted


def environment(variables: Mapping[str, str]) -> list[str]:
    return [word for name, value in variables.items() for word in ("--setenv", name, value)]


def _system() -> list[str]:
    """Where /lib is a link to /usr/lib it must be one in the box too."""
    words: list[str] = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.exists():
            words += _mount("--ro-bind", path, path)
    return words


def _devices(gpu: Access | None) -> list[str]:
    words = ["--perms", "0755", "--tmpfs", "/dev"]
    for name in _DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for path in gpu.devices if gpu else ():
        words += ["--dev-bind", str(path), f"/dev/{path.name}"]
    return [*words, "--remount-ro", "/dev"]


def _mount(option: str, source: Path, target: Path) -> list[str]:
    """Bubblewrap makes parents that only root may enter, unless they are asked for."""
    parents = [word for parent in reversed(target.parents[:-1]) for word in ("--perms", "0755", "--dir", str(parent))]
    return [*parents, option, str(source), str(target)]
