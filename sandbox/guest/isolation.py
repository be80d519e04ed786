"""Fresh namespaces for each submission, where the host permits them.

The monitor makes all but the mount namespace, so that its first child is process 1 of the new ones and nobody in there
can name it. That child then covers what it shares with the box: its own /tmp, and a /proc of two files.
"""

import os
from contextlib import suppress
from pathlib import Path

from . import kernel

TMP_BYTES = 64 * 2**20
TMP_FILES = 4096
PROC_FILES = ("cpuinfo", "meminfo")  # XNNPACK and torch complain without
_NO_PROGRAMS = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


def enter_namespaces() -> None:
    """Raises OSError where the host refuses. The caller stays in its own pid namespace; its children don't."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(
        kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWCGROUP
    )
    kernel.set_dumpable(is_dumpable=True)  # or its own /proc files would be root's; nobody else lives in the box now
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    kernel.set_dumpable(is_dumpable=False)


def cover_mounts(*, gpu: bool) -> None:
    """Raises OSError where the host refuses."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    (_renew_proc if gpu else _shrink_proc)()
    kernel.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, f"size={TMP_BYTES},nr_inodes={TMP_FILES},mode=700")


def _shrink_proc() -> None:
    kernel.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, "size=64k,nr_inodes=8,mode=755")
    for name in PROC_FILES:
        Path("/tmp", name).touch()
        kernel.mount(f"/proc/{name}", f"/tmp/{name}", None, kernel.MS_BIND)
    kernel.mount("none", "/tmp", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _NO_PROGRAMS)
    kernel.mount("/tmp", "/proc", None, kernel.MS_MOVE)


def _renew_proc() -> None:
    """NVIDIA's driver reads its process's files and names its threads there. Where no new one may be, the box's stays.

    Either shows what the kernel tells everybody, and no process that could be touched.
    """
    with suppress(OSError):
        kernel.mount("proc", "/proc", "proc", _NO_PROGRAMS)


def is_permitted(*, gpu: bool) -> bool:
    """Tries the whole dance once, in a process of its own."""
    pid = os.fork()
    if pid == 0:
        os._exit(_exit_code_of_try(gpu=gpu))
    return os.waitpid(pid, 0)[1] == 0


def _exit_code_of_try(*, gpu: bool) -> int:
    try:
        enter_namespaces()
        inner = os.fork()
        if inner == 0:
            cover_mounts(gpu=gpu)
            os._exit(0)
        return int(os.waitpid(inner, 0)[1] != 0)
    except BaseException:
        return 1
