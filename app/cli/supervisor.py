"""The worker that `allclose serve` starts beside the web process: started again when it dies, drained at the end."""

import logging
import os
import subprocess
import sys
import threading
import time
from typing import Self

from app.cli.worker import NO_SANDBOX
from app.settings import Settings

FIRST_PAUSE_SECONDS = 1.0
LONGEST_PAUSE_SECONDS = 60.0
# How long running judgings may go on once we stop; the second signal gives them back to the queue.
DRAIN_SECONDS = 3.0
GIVE_BACK_SECONDS = 5.0

_log = logging.getLogger(__name__)


class WorkerProcess:
    """A thread starts the process and waits for it; the process ends with that thread's process, whatever ends it."""

    def __init__(self, settings: Settings, url: str) -> None:
        own = {name: value for name, value in os.environ.items() if name != "ALLCLOSE_DATABASE_URL_FILE"}
        self._environment = {**own, **_environment(settings, url)}
        self._stopping = threading.Event()
        # Nothing is started once `_stopping` is set, and whoever set it knows the last process.
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Running judgings may end; one that takes too long is judged again after the next start."""
        try:
            with self._starting:
                self._stopping.set()
            self._drain()
        finally:  # also after a second Ctrl-C
            self._stopping.set()
            self._kill()

    def _drain(self) -> None:
        for seconds in (DRAIN_SECONDS, GIVE_BACK_SECONDS):
            if self._process is None:
                return
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return

    def _kill(self) -> None:
        with self._starting:
            if self._process is not None:
                self._process.kill()
        self._thread.join()

    def _keep_running(self) -> None:
        pause, lacks_sandbox = FIRST_PAUSE_SECONDS, False
        while (process := self._start(lacks_sandbox)) is not None:
            started = time.monotonic()
            status = process.wait()
            if self._stopping.is_set():
                return
            if time.monotonic() - started > LONGEST_PAUSE_SECONDS:
                pause, lacks_sandbox = FIRST_PAUSE_SECONDS, False
            if not (lacks_sandbox and status == NO_SANDBOX):
                _log.error("%s", _explain(status, pause))
            lacks_sandbox = status == NO_SANDBOX
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    def _start(self, lacks_sandbox: bool) -> subprocess.Popen[bytes] | None:
        """None once we stop. The process keeps silent about a sandbox that it lacks, where the one before said so."""
        command = [sys.executable, "-m", "app.cli", "worker", "--follow-parent", str(os.getpid())]
        with self._starting:
            if self._stopping.is_set():
                return None
            # A session of its own: Ctrl-C in the terminal reaches us, and we tell the worker to finish.
            self._process = subprocess.Popen(
                [*command, *(["--lacks-sandbox"] if lacks_sandbox else [])],
                env=self._environment,
                start_new_session=True,
            )
            return self._process


def _explain(status: int, pause: float) -> str:
    if status == NO_SANDBOX:
        return (
            "nothing is judged while this host opens no box: the pages stay up, submissions wait in the queue, "
            f"and the worker tries again, at first after {pause:.0f} s, in the end every {LONGEST_PAUSE_SECONDS:.0f} s"
        )
    return f"the worker ended with status {status}; starting it again in {pause:.0f} s"


def _environment(settings: Settings, url: str) -> dict[str, str]:
    names = ("data", "runtime", "sandbox", "isolation", "max_runs", "log_format", "log_level")
    chosen = {f"ALLCLOSE_{name.upper()}": str(getattr(settings, name)) for name in names}
    # Counted once: the database was started with connections for this many.
    return chosen | {"ALLCLOSE_DATABASE_URL": url, "ALLCLOSE_SLOTS": str(settings.worker_slots)}
