"""The processes that `allclose serve` runs beside the web process: started again when they end, stopped with it."""

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
# How long running judgings may go on once we stop; the second signal gives them back to the queue.
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
        """Wait until the process has ended; return its exit status where that is known."""

    @abstractmethod
    def stop(self) -> None:
        """End the process gently, if there is one. May be interrupted."""

    @abstractmethod
    def kill(self) -> None:
        """End what `stop` has left."""

    def explain(self, status: int | None, pause: float) -> str | None:
        """Return what to log about the end of the process, which is started again after `pause`; None for nothing."""
        return f"{self.name} ended with status {status}; starting it again in {pause:g} s"


class Supervisor:
    """Starts a child when the `with` block begins, and again whenever it ends; stops it when the block ends.

    The pauses before a start double until a process has run for longer than the longest of them.
    """

    def __init__(self, child: Child) -> None:
        self._child = child
        self._stopping = threading.Event()
        # Nothing is started once `_stopping` is set, and whoever set it knows the last process.
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
    """A process that judges; it ends with the process of the thread that started it, whatever ends that."""

    name = "the worker"
    first_pause_seconds = 1.0  # its start takes seconds of a core

    def __init__(self, settings: Settings, url: str) -> None:
        own = {name: value for name, value in os.environ.items() if name != "ALLCLOSE_DATABASE_URL_FILE"}
        self._environment = {**own, **_environment(settings, url)}
        self._lacks_sandbox = False
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """The process keeps silent about a sandbox that it lacks, where the one before said so."""
        command = [sys.executable, "-m", "app.cli", "worker", "--follow-parent", str(os.getpid())]
        # A session of its own: Ctrl-C in the terminal reaches us, and we tell the worker to finish.
        self._process = subprocess.Popen(
            [*command, *(["--lacks-sandbox"] if self._lacks_sandbox else [])],
            env=self._environment,
            start_new_session=True,
        )

    def wait(self) -> int | None:
        return self._process.wait() if self._process is not None else None

    def stop(self) -> None:
        """Running judgings may end; one that takes too long is judged again after the next start."""
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
        had_said_so = self._lacks_sandbox and pause > self.first_pause_seconds
        self._lacks_sandbox = status == NO_SANDBOX
        if not self._lacks_sandbox:
            return super().explain(status, pause)
        if had_said_so:
            return None
        return (
            "nothing is judged while this host opens no box: the pages stay up, submissions wait in the queue, "
            f"and the worker tries again, at first after {pause:g} s, in the end every {LONGEST_PAUSE_SECONDS:.0f} s"
        )


class PostgresProcess(Child):
    """The embedded server, which runs already; what it had committed is there again when it has started again."""

    name = "the embedded PostgreSQL"
    first_pause_seconds = 0.25  # everything waits for it

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
    names = ("data", "runtime", "sandbox", "isolation", "max_runs", "log_format", "log_level")
    chosen = {f"ALLCLOSE_{name.upper()}": str(getattr(settings, name)) for name in names}
    # Counted once: the database was started with connections for this many.
    return chosen | {"ALLCLOSE_DATABASE_URL": url, "ALLCLOSE_SLOTS": str(settings.worker_slots)}
