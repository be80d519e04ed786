"""200 submissions at once by 20 users, while the worker is killed twice."""

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg

from app.embedded_postgres import join
from app.settings import read_settings
from tests.serving import RIGHT, SLUG, Served, Student, serve

# A source for each verdict, so that a result that reaches the wrong submission shows.
SOURCES = {
    "accepted": RIGHT,
    "wrong_answer": RIGHT.replace("- x.mean()", "+ 1"),
    "runtime_error": "def standardise(x, eps):\n    return 1 // 0\n",
    "invalid_submission": "def standardise(x, eps:\n",
}
USERS, EACH, KILLS = 20, 10, 2


def test_two_hundred_submissions_all_get_their_verdict_while_the_worker_is_killed(tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        students = [served.sign_up() for _ in range(USERS)]
        wanted = list(SOURCES) * (USERS * EACH // len(SOURCES))
        with ThreadPoolExecutor(USERS) as together:
            sent = list(together.map(_send, [(students[n % USERS], verdict) for n, verdict in enumerate(wanted)]))
            killer = threading.Thread(target=_kill_workers, args=(served,))
            killer.start()
            got = list(together.map(lambda pair: pair[0].result(pair[1])["verdict"], sent))
            killer.join()

        assert got == wanted
        with join(served.data / "postgres") as postgres:
            url = postgres.url.replace("+psycopg", "")
            with psycopg.connect(url) as connection:
                judgings = connection.execute(
                    "SELECT count(*), count(DISTINCT submission_id), count(finished_at), sum(attempt) FROM judgings"
                ).fetchone()
        assert judgings is not None
        assert judgings[:3] == (USERS * EACH,) * 3
        again = judgings[3] - USERS * EACH
        assert 0 < again <= KILLS * read_settings().worker_slots, "only what a kill interrupted is judged again"


def _send(pair: tuple[Student, str]) -> tuple[Student, str]:
    student, verdict = pair
    return student, student.send(SLUG, SOURCES[verdict])


def _kill_workers(served: Served) -> None:
    for _ in range(KILLS):
        time.sleep(3)
        for pid in served.worker_pids():
            os.kill(pid, signal.SIGKILL)
