"""Create fresh namespaces for each submission, where the host permits them.

The monitor creates all but the mount namespace, so its first child is process 1 of the new ones and can't name any
process outside. That child then covers what it shares with the box: its own /tmp, and a /proc of two files.
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from sandbox.guest import kernel

TMP_BYTES = 64 * 2**20
TMP_FILES = 4096
PROC_FILES = ("cpuinfo", "meminfo")  # XNNPACK and torch complain without
_NO_PROGRAMS = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC


def enter_namespaces() -> None:
    """Raises OSError where the host refuses. The caller stays in its own PID namespace; its children do not."""
    uid, gid = os.getuid(), os.getgid()
    kernel.unshare(
        kernel.CLONE_NEWUSER | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWUTS | kernel.CLONE_NEWCGROUP
    )
    kernel.set_dumpable(is_dumpable=True)  # otherwise its own /proc files belong to root
    if Path("/proc/self/setgroups").exists():  # gVisor has no such file and needs none
        Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    kernel.set_dumpable(is_dumpable=False)


def cover_mounts(*, gpu: bool) -> None:
    """Raises OSError where the host refuses."""
    kernel.unshare(kernel.CLONE_NEWNS)
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    (_renew_proc if gpu else _shrink_proc)()
    _mount_tmp(f"size={TMP_BYTES},mode=700", TMP_FILES)


def _mount_tmp(options: str, files: int) -> None:
    try:
        kernel.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, f"{options},nr_inodes={files}")
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        kernel.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, options)  # gVisor has no nr_inodes


def _shrink_proc() -> None:
    _mount_tmp("size=64k,mode=755", 8)
    for name in PROC_FILES:
        Path("/tmp", name).touch()
        kernel.mount(f"/proc/{name}", f"/tmp/{name}", None, kernel.MS_BIND)
    kernel.mount("none", "/tmp", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _NO_PROGRAMS)
    kernel.mount("/tmp", "/proc", None, kernel.MS_BIND | kernel.MS_REC)


def _renew_proc() -> None:
    """Mount a new /proc, or keep the box's where that is refused.

    NVIDIA's driver reads its process's files there and names its threads. Either /proc shows public kernel facts and no
    process that the student could affect.
    """
    with suppress(OSError):
        kernel.mount("proc", "/proc", "proc", _NO_PROGRAMS)


def is_permitted(*, gpu: bool) -> bool:
    """Try all steps once, in a child process."""
    return _holds(lambda: _separates(gpu=gpu))


def is_needless() -> bool:
    """Whether the kernel keeps processes of one user apart without namespaces. Linux does, gVisor does not."""
    return _holds(_reaches_no_process)


def _separates(*, gpu: bool) -> bool:
    enter_namespaces()

    def covers() -> bool:
        cover_mounts(gpu=gpu)
        return _reaches_no_process()

    return _holds(covers)


def _reaches_no_process() -> bool:
    """Whether no open file of another process can be opened through /proc."""
    itself = Path("/proc/self")
    own = str(itself.readlink()) if itself.is_symlink() else ""
    return not any(_opens(path / "fd" / "0") for path in Path("/proc").glob("[0-9]*") if path.name != own)


def _opens(path: Path) -> bool:
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def _holds(trial: Callable[[], bool]) -> bool:
    """Run the trial in a child process."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if trial() else 1
        finally:
            os._exit(status)
    return os.waitpid(pid, 0)[1] == 0
