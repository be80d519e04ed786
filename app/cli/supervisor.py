"""The worker that `allclose serve` starts beside the web process: started again when it dies, drained at the end."""

import logging
import os
import subprocess
import sys
import threading
from typing import Self

from app.settings import Settings

RESTART_SECONDS = 1.0
# How long running judgings may go on once we stop; the second signal gives them back to the queue.
DRAIN_SECONDS = 3.0
GIVE_BACK_SECONDS = 5.0

_log = logging.getLogger(__name__)


class WorkerProcess:
    """A thread starts the process and waits for it; the process ends with that thread's process, whatever ends it."""

    def __init__(self, settings: Settings, url: str) -> None:
        self._environment = {**os.environ, **_environment(settings, url)}
        self._stopping = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep_running, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Running judgings may end; one that takes too long is judged again after the next start."""
        self._stopping.set()
        if self._process is not None:
            for seconds in (DRAIN_SECONDS, GIVE_BACK_SECONDS):
                self._process.terminate()
                if self._ends_within(seconds):
                    break
            else:
                self._process.kill()
        self._thread.join()

    def _ends_within(self, seconds: float) -> bool:
        try:
            return self._process is None or self._process.wait(seconds) is not None
        except subprocess.TimeoutExpired:
            return False

    def _keep_running(self) -> None:
        command = [sys.executable, "-m", "app.cli", "worker", "--follow-parent", str(os.getpid())]
        while not self._stopping.is_set():
            # A session of its own: Ctrl-C in the terminal reaches us, and we tell the worker to finish.
            self._process = subprocess.Popen(command, env=self._environment, start_new_session=True)
            status = self._process.wait()
            if not self._stopping.is_set():
                _log.error("the worker ended with status %s; starting it again", status)
                self._stopping.wait(RESTART_SECONDS)


def _environment(settings: Settings, url: str) -> dict[str, str]:
    names = ("data", "runtime", "sandbox", "isolation", "slots", "max_runs")
    chosen = {f"ALLCLOSE_{name.upper()}": getattr(settings, name) for name in names}
    return {"ALLCLOSE_DATABASE_URL": url} | {name: str(value) for name, value in chosen.items() if value is not None}
