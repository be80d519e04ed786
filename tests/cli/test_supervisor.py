"""The processes that `allclose serve` supervises: their ends, whenever these come, and the pauses before a start."""

import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.cli.supervisor import PostgresProcess, Supervisor, WorkerProcess
from app.database.embedded_server import own
from app.settings import Settings
from tests.serving import serve, wait_for

SLEEP = ("sleep", "600")
DEAF = ("sh", "-c", "trap '' TERM; while :; do sleep 1; done")


class Starts:
    """Starts other programs in the worker's place, and remembers them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], delay_seconds: float = 0) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        self.has_begun = threading.Event()
        self._start = subprocess.Popen
        self._command = command
        self._delay_seconds = delay_seconds
        monkeypatch.setattr(subprocess, "Popen", self)

    def __call__(self, _: list[str], **options: Any) -> subprocess.Popen[bytes]:
        self.has_begun.set()
        time.sleep(self._delay_seconds)
        self.processes.append(self._start(self._command, **options))
        return self.processes[-1]


@pytest.mark.timeout(60)
def test_a_stop_while_the_worker_is_being_started_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(monkeypatch, SLEEP, delay_seconds=0.5)

    with Supervisor(WorkerProcess(Settings(), "postgresql://")):
        starts.has_begun.wait()

    assert [process.returncode for process in starts.processes] == [-signal.SIGTERM]


@pytest.mark.timeout(60)
def test_a_second_ctrl_c_leaves_no_worker_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(monkeypatch, DEAF)
    signal.signal(signal.SIGALRM, signal.default_int_handler)

    worker = Supervisor(WorkerProcess(Settings(), "postgresql://")).__enter__()
    time.sleep(0.5)

    signal.setitimer(signal.ITIMER_REAL, 0.5)
    with pytest.raises(KeyboardInterrupt):
        worker.__exit__()

    assert [process.returncode for process in starts.processes] == [-signal.SIGKILL]


@pytest.mark.timeout(60)
def test_a_database_that_can_not_be_started_again_is_tried_until_it_can(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with own(tmp_path / "postgres") as postgres, Supervisor(PostgresProcess(postgres)):
        control = postgres.cluster.data / "global/pg_control"
        control.rename(control.with_suffix(".away"))
        os.kill(postgres.server.pid, signal.SIGKILL)
        wait_for(lambda: "could not open file" in caplog.text)
        control.with_suffix(".away").rename(control)
        wait_for(lambda: "".join(postgres.cluster.log_lines()).count("ready to accept connections") == 2)

    pauses = [float(pause) for pause in re.findall(r"starting it again in (\S+) s", caplog.text)]
    assert len(pauses) > 1
    assert pauses == sorted(set(pauses))


@pytest.mark.whole
def test_a_host_without_a_sandbox_is_said_once_and_the_pages_stay_up(tmp_path: Path) -> None:
    lacking = {"ALLCLOSE_SANDBOX": "bubblewrap", "ALLCLOSE_RUNTIME": str(tmp_path / "nothing")}
    with serve(tmp_path, lacking) as served:
        workers = set[int]()
        until = time.monotonic() + 60
        while len(workers) < 3 and time.monotonic() < until:
            workers |= set(served.worker_pids())
            time.sleep(0.1)
        answer = httpx.get(served.url, follow_redirects=True)

    assert len(workers) == 3
    assert answer.status_code == 200
    assert served.text.count("no Python at") == 1
    assert served.text.count("nothing is judged") == 1
    assert "Traceback" not in served.text
