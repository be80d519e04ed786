"""The child processes of `allclose serve`: restarted when they end, stopped when `serve` stops."""

import logging
import os
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from typing import Self

from app.cli.worker import NO_SANDBOX
from app.database.embedded_server import EmbeddedPostgres
from app.errors import AllcloseError
from app.settings import Settings

LONGEST_PAUSE_SECONDS = 60.0
# After the first signal, running judgings may finish. The second signal returns them to the queue.
DRAIN_SECONDS = 3.0
GIVE_BACK_SECONDS = 5.0

_log = logging.getLogger(__name__)


class Child(ABC):
    """A process that a `Supervisor` keeps running."""

    name: str
    first_pause_seconds: float

    @abstractmethod
    def start(self) -> None:
        """Start the process. Raises OSError or AllcloseError when it can't be started."""

    @abstractmethod
    def wait(self) -> int | None:
        """Wait until the process has ended. Return its exit status, or None if it is unknown."""

    @abstractmethod
    def stop(self) -> None:
        """Ask the process to end and wait for it. Ctrl-C may interrupt this."""

    @abstractmethod
    def kill(self) -> None:
        """Kill the process if `stop` has not ended it."""

    def explain(self, status: int | None, pause: float) -> str | None:
        """Return the log message about the end of the process, or None. The process restarts after `pause` seconds."""
        return f"{self.name} ended with status {status}; starting it again in {pause:g} s"


class Supervisor:
    """Keeps a child running while the `with` block runs, and stops it at the end of the block.

    The pause before a restart doubles up to a limit. It resets once a process has run for longer than the limit.
    """

    def __init__(self, child: Child) -> None:
        self._child = child
        self._stopping = threading.Event()
        # `start` holds this lock, so that no process starts after `_stopping` is set.
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._keep_running, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            with self._starting:
                self._stopping.set()
            self._child.stop()
        finally:  # also after a second Ctrl-C
            self._stopping.set()
            with self._starting:
                self._child.kill()
            self._thread.join()

    def _keep_running(self) -> None:
        pause = self._child.first_pause_seconds
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                with self._starting:
                    if self._stopping.is_set():
                        return
                    self._child.start()
                status = self._child.wait()
                if time.monotonic() - began > LONGEST_PAUSE_SECONDS:
                    pause = self._child.first_pause_seconds
                words = self._child.explain(status, pause)
            except (OSError, AllcloseError) as error:
                words = f"{self._child.name} can't be started ({error}); trying again in {pause:g} s"
            if self._stopping.is_set():
                return
            if words:
                _log.error("%s", words)
            self._stopping.wait(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


class WorkerProcess(Child):
    """A worker process. It ends when `serve` ends, even if `serve` is killed."""

    name = "the worker"
    first_pause_seconds = 1.0  # a start takes seconds of CPU time

    def __init__(self, settings: Settings, url: str) -> None:
        own = {name: value for name, value in os.environ.items() if name != "ALLCLOSE_DATABASE_URL_FILE"}
        self._environment = {**own, **_environment(settings, url)}
        self._lacks_sandbox = False
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the worker. If the last one reported a missing sandbox, this one does not report it again."""
        command = [sys.executable, "-m", "app.cli", "worker", "--follow-parent", str(os.getpid())]
        # In a session of its own, so that Ctrl-C reaches only `serve`, which then stops the worker.
        self._process = subprocess.Popen(
            [*command, *(["--lacks-sandbox"] if self._lacks_sandbox else [])],
            env=self._environment,
            start_new_session=True,
        )

    def wait(self) -> int | None:
        return self._process.wait() if self._process is not None else None

    def stop(self) -> None:
        """Let running judgings finish. One that takes too long runs again after the next start."""
        for seconds in (DRAIN_SECONDS, GIVE_BACK_SECONDS):
            if self._process is None:
                return
            self._process.terminate()
            try:
                self._process.wait(seconds)
            except subprocess.TimeoutExpired:
                continue
            return

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()

    def explain(self, status: int | None, pause: float) -> str | None:
        is_reported = self._lacks_sandbox and pause > self.first_pause_seconds
        self._lacks_sandbox = status == NO_SANDBOX
        if not self._lacks_sandbox:
            return super().explain(status, pause)
        if is_reported:
            return None
        return (
            "this host can't open a box, so nothing is judged. The pages stay up and submissions wait in the queue. "
            f"The worker tries again after {pause:g} s, and later every {LONGEST_PAUSE_SECONDS:.0f} s."
        )


class PostgresProcess(Child):
    """The embedded server, which is already running. Committed data survives a restart."""

    name = "the embedded PostgreSQL"
    first_pause_seconds = 0.25  # everything else needs the database

    def __init__(self, postgres: EmbeddedPostgres) -> None:
        self._postgres = postgres

    def start(self) -> None:
        if self._postgres.has_ended:
            self._postgres.restart()

    def wait(self) -> int | None:
        return self._postgres.wait()

    def stop(self) -> None:
        self._postgres.stop()

    def kill(self) -> None:
        self._postgres.stop()

    def explain(self, status: int | None, pause: float) -> str | None:
        cluster = self._postgres.cluster
        last = "".join(cluster.log_lines()[-1:])
        return f"{super().explain(status, pause)}; its log {cluster.log} ends with: {last}"


def _environment(settings: Settings, url: str) -> dict[str, str]:
    names = ("data", "sandbox", "isolation", "max_runs", "log_format", "log_level")
    chosen = {f"ALLCLOSE_{name.upper()}": str(getattr(settings, name)) for name in names}
    # The database was started with connections for this number of slots.
    return chosen | {"ALLCLOSE_DATABASE_URL": url, "ALLCLOSE_SLOTS": str(settings.worker_slots)}
