"""Judgings per second with instant judgings: what HTTP, the queue and the writing of verdicts take by themselves.

`python -m benchmarks.throughput --write docs/reliability.md` measures and writes the section "Throughput" of that page.
The worker processes run the real lease loop, but accept each submission without running it.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import func, select

from app.cli.deployment import open_database
from app.database.engine import Database
from app.judging.verdicts import Finish, Verdict
from app.queue.heartbeat import Capacity
from app.queue.lease_loop import LeaseLoop
from app.settings import read_settings
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.model import Judging
from benchmarks.machine import say
from benchmarks.report import show_table
from benchmarks.service import POLICY
from tests.serving import NO_WORKER, RIGHT, SLUG, Student, serve

SECTION = "Throughput"
WORKERS = (1, 2, 4)
SLOTS = 4
STUDENTS = 4
SUBMISSIONS = 500
ACCEPTED = Finish(verdict=Verdict.ACCEPTED, score=100, cases=(), image="", versions={})
PATIENCE_SECONDS = 300


def measure() -> list[tuple[str, str]]:
    """Return the rows of the table."""
    rows = []
    with (
        tempfile.TemporaryDirectory(prefix="allclose-throughput-") as folder,
        serve(Path(folder) / "data", policy=POLICY, options=NO_WORKER) as served,
        open_database(read_settings(data=served.data)) as database,
    ):
        students = [served.sign_up() for _ in range(STUDENTS)]
        for count in WORKERS:
            with _workers(database, count):
                rate = _rate(database, students)
            say(f"{count} worker processes: {rate:.0f} judgings/s")
            rows.append((f"{count} worker process{'es' if count > 1 else ''}: judgings per second", f"{rate:.0f}"))
    return rows


def _rate(database: Database, students: Sequence[Student]) -> float:
    """Return the submissions per second, from the first request until the last verdict is written."""
    before = _count_done(database)
    requests = SUBMISSIONS // len(students)
    expected = before + requests * len(students)
    begun = time.monotonic()
    with ThreadPoolExecutor(len(students)) as pool:
        list(pool.map(lambda student: _send(student, requests), students))
    while (done := _count_done(database)) < expected:
        assert time.monotonic() < begun + PATIENCE_SECONDS, f"{done - before} of {expected - before} are judged"
        time.sleep(0.02)
    return (done - before) / (time.monotonic() - begun)


def _send(student: Student, requests: int) -> None:
    for _ in range(requests):
        body = {"source": RIGHT, "mode": "submit"}
        student.client.post(f"/problems/{SLUG}/submissions", json=body).raise_for_status()


def _count_done(database: Database) -> int:
    with database.transaction() as session:
        return session.scalars(select(func.count()).where(Judging.verdict == "accepted")).one()


@contextmanager
def _workers(database: Database, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            command = [sys.executable, "-m", "benchmarks.throughput", "--worker", database.url]
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.terminate)
        time.sleep(2)
        yield


def work(url: str) -> None:
    """Accept submissions without running them, until SIGTERM."""
    database = Database(url, pool_size=SLOTS + 3)

    def judge(claim: JudgingClaim, abort: threading.Event) -> None:
        finish(database, claim, ACCEPTED, abort)

    loop = LeaseLoop(database, Capacity(queues=("cpu",), slots=SLOTS), JudgingClaim, judge)
    loop.start()
    signal.sigwait({signal.SIGTERM})
    loop.drain()
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.throughput", description=__doc__)
    parser.add_argument("--write", type=Path, help="the page whose section is replaced")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        work(options.worker)
        return
    rows = measure()
    show_table(rows, SECTION, "benchmarks.throughput", options.write)


if __name__ == "__main__":
    main()
