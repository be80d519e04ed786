"""Create fresh namespaces for each submission, where the host permits them.

The monitor creates all but the mount namespace. Without a GPU its first child is process 1 of the new ones, and can't
name any process outside. That child then covers what it shares with the box: its own /tmp, and a /proc of few files.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path

from sandbox.guest import system_calls

TMP_BYTES = 64 * 2**20
TMP_FILES = 4096
PROC_FILES = ("cpuinfo", "meminfo")  # XNNPACK and torch complain without
GPU_PROC_FILES = ("devices", "driver/nvidia", "sys/vm")
_NO_PROGRAMS = system_calls.MS_NOSUID | system_calls.MS_NODEV | system_calls.MS_NOEXEC


def enter_namespaces(*, gpu: bool) -> None:
    """Raises OSError where the host refuses. The caller stays in the box's PID namespace; its children do not.

    With a GPU they stay there too: NVIDIA's driver needs a /proc with its own process's threads, and the kernel
    allows no new /proc in a box.
    """
    uid, gid = os.getuid(), os.getgid()
    flags = (
        system_calls.CLONE_NEWUSER
        | system_calls.CLONE_NEWIPC
        | system_calls.CLONE_NEWUTS
        | system_calls.CLONE_NEWCGROUP
    )
    system_calls.unshare(flags if gpu else flags | system_calls.CLONE_NEWPID)
    system_calls.set_dumpable(is_dumpable=True)  # otherwise its own /proc files belong to root
    if Path("/proc/self/setgroups").exists():  # gVisor has no such file and needs none
        Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    system_calls.set_dumpable(is_dumpable=False)


def cover_mounts(*, gpu: bool) -> None:
    """Raises OSError where the host refuses."""
    system_calls.unshare(system_calls.CLONE_NEWNS)
    system_calls.mount("none", "/", None, system_calls.MS_REC | system_calls.MS_PRIVATE)
    _shrink_proc(gpu=gpu)
    _mount_tmp(f"size={TMP_BYTES},mode=700", TMP_FILES)


def _mount_tmp(options: str, files: int) -> None:
    try:
        system_calls.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, f"{options},nr_inodes={files}")
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        system_calls.mount("tmpfs", "/tmp", "tmpfs", _NO_PROGRAMS, options)  # gVisor has no nr_inodes


def _shrink_proc(*, gpu: bool) -> None:
    _mount_tmp("size=64k,mode=755", 64)
    for name in PROC_FILES:
        _show(name)
    if gpu:
        _show_to_driver()
    system_calls.mount(
        "none", "/tmp", None, system_calls.MS_REMOUNT | system_calls.MS_BIND | system_calls.MS_RDONLY | _NO_PROGRAMS
    )
    system_calls.mount("/tmp", "/proc", None, system_calls.MS_BIND | system_calls.MS_REC)


def _show_to_driver() -> None:
    """Show what NVIDIA's driver reads: its own files, and the folder of its process, with which it names threads."""
    for name in GPU_PROC_FILES:
        _show(name)
    own = str(os.getpid())
    Path("/tmp", own).mkdir()
    system_calls.mount("/proc/self", f"/tmp/{own}", None, system_calls.MS_BIND)
    Path("/tmp/self").symlink_to(own)


def _show(name: str) -> None:
    """Bind a file or folder of the box's /proc, if it is there, to the same place below /tmp."""
    source, target = Path("/proc", name), Path("/tmp", name)
    if source.is_dir():
        target.mkdir(parents=True)
    elif source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    else:
        return
    system_calls.mount(str(source), str(target), None, system_calls.MS_BIND | system_calls.MS_REC)


def is_permitted(*, gpu: bool) -> bool:
    """Try all steps once, in a child process."""
    return _holds(lambda: _separates(gpu=gpu))


def is_needless() -> bool:
    """Whether the kernel keeps processes of one user apart without namespaces. Linux does, gVisor does not."""
    return _holds(_reaches_no_process)


def _separates(*, gpu: bool) -> bool:
    enter_namespaces(gpu=gpu)

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
