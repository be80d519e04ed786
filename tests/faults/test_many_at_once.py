"""Many submissions at once by many users, while the worker is killed."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest

from app.database.embedded_server import join
from app.settings import read_settings
from tests.serving import RIGHT, SLUG, Served, Student, serve

# A source for each verdict, so that a result that reaches the wrong submission shows.
SOURCES = {
    "accepted": RIGHT,
    "wrong_answer": RIGHT.replace("- x.mean()", "+ 1"),
    "runtime_error": "def standardise(x, eps):\n    return 1 // 0\n",
    "invalid_submission": "def standardise(x, eps:\n",
}
EACH = 10


@pytest.mark.whole
@pytest.mark.parametrize(("users", "kills"), [(20, 2)])
def test_all_submissions_get_their_verdict_while_the_worker_is_killed(tmp_path: Path, users: int, kills: int) -> None:
    with serve(tmp_path) as served:
        students = [served.sign_up() for _ in range(users)]
        wanted = list(SOURCES) * (users * EACH // len(SOURCES))
        with ThreadPoolExecutor(users) as together:
            sent = list(together.map(_send, [(students[n % users], verdict) for n, verdict in enumerate(wanted)]))
            is_judging = threading.Event()
            killer = threading.Thread(target=_kill_workers, args=(served, kills, is_judging))
            killer.start()
            got = list(together.map(partial(_result, is_judging), sent))
            killer.join()

        assert got == wanted
        with join(served.data / "postgres") as postgres:
            url = postgres.url.replace("+psycopg", "")
            with psycopg.connect(url) as connection:
                judgings = connection.execute(
                    "SELECT count(*), count(DISTINCT submission_id), count(finished_at), sum(attempt) FROM judgings"
                ).fetchone()
        assert judgings is not None
        assert judgings[:3] == (users * EACH,) * 3
        again = judgings[3] - users * EACH
        assert 0 < again <= kills * read_settings().worker_slots, "only what a kill interrupted is judged again"


def _send(pair: tuple[Student, str]) -> tuple[Student, str]:
    student, verdict = pair
    return student, student.send(SLUG, SOURCES[verdict])


def _result(is_judging: threading.Event, pair: tuple[Student, str]) -> str:
    student, submission = pair
    verdict = str(student.result(submission)["verdict"])
    is_judging.set()
    return verdict


def _kill_workers(served: Served, kills: int, is_judging: threading.Event) -> None:
    """The first time once a verdict has come, so that the next judgings run."""
    is_judging.wait()
    for _ in range(kills):
        for pid in served.worker_pids():
            os.kill(pid, signal.SIGKILL)
        time.sleep(3)
