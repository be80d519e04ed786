"""A command that waits for a verdict, interrupted or cut off by the end of the server."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.serving import NO_WORKER, SLUG, Served, Student, serve


def start_waiting(served: Served, student: Student, folder: Path) -> subprocess.Popen[str]:
    """`allclose submit`, which has been told that no worker is running."""
    solution = folder / "solution.py"
    solution.write_text("def standardise(x, eps):\n    return x\n")
    command = [sys.executable, "-m", "app.cli", "submit", SLUG, str(solution), "--server", served.url]
    environment = {"PATH": "/usr/bin:/bin", "ALLCLOSE_TOKEN": student.token, "HOME": str(folder)}
    waiting = subprocess.Popen(
        command, env=environment, stdout=-1, stderr=-1, text=True, start_new_session=True, preexec_fn=_heed_interrupts
    )
    assert waiting.stderr is not None
    assert "No worker is running now" in waiting.stderr.readline()
    return waiting


def _heed_interrupts() -> None:
    """Restore SIGINT: a shell's background jobs ignore it, and so would all commands that the tests start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.whole
def test_who_stops_waiting_is_told_where_the_verdict_will_be(tmp_path: Path) -> None:
    with serve(tmp_path / "data", options=NO_WORKER) as served:
        waiting = start_waiting(served, served.sign_up(), tmp_path)

        waiting.send_signal(signal.SIGINT)
        said = waiting.communicate(timeout=30)[1].replace("\n", "")

    assert re.search(rf"{served.url}/submissions/[0-9a-f-]{{36}}", said)
    assert re.search(r"`allclose show [0-9a-f-]{36}` follows it", said)


@pytest.mark.whole
def test_a_server_that_ends_prints_nothing_of_those_who_wait(tmp_path: Path) -> None:
    with serve(tmp_path / "data", options=NO_WORKER) as served:
        waiting = start_waiting(served, served.sign_up(), tmp_path)

        served.stop()
        waiting.kill()
        waiting.communicate()

    assert "Stopping" in served.text
    assert "Traceback" not in served.text
    assert "Cancel" not in served.text
