"""What students wait for while submissions are judged again behind them, beside what they wait for otherwise.

In turn: students submit at a steady pace; then the same while a rejudge of 1,000 submissions runs; and so again, so
that whatever else the machine does meets both alike. Alone: `python -m benchmarks.rejudging`.
"""

import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import text

from app.catalog.package import load_package
from app.cli.deployment import open_database
from app.settings import ROOT, read_settings
from benchmarks.report import report, timed
from tests.serving import ADMIN, Served, Student, serve

SLUG = "microbatched_grads"
REJUDGED = 1000
ROUNDS = 3
SUBMISSIONS = 20
# Before the pace is known. Then one is sent whenever so many times as long as one alone takes have passed: the machine
# keeps up, with some in a slot most of the time, whatever its speed is today.
ALONE = 5
PACE = 1.25
PREPARED = "every known mistake can be recognised"
PATIENCE = 1800
POLICY = {"max_pending": 1000, "judging_seconds_per_hour": 1_000_000, "requests_per_minute": 100_000}

_COPIES = """
    WITH one AS (
        SELECT submissions.*, judgings.queue, judgings.image, judgings.versions FROM submissions
        JOIN judgings ON judgings.submission_id = submissions.id WHERE judgings.is_current LIMIT 1
    ), copies AS (
        INSERT INTO submissions (id, user_id, problem_id, revision_id, source, mode, variant)
        SELECT gen_random_uuid(), user_id, problem_id, revision_id, source, mode, copy % 3
        FROM one, generate_series(1, :copies) AS copy RETURNING id, revision_id
    )
    INSERT INTO judgings (submission_id, revision_id, queue, state, verdict, score, started_at, finished_at, attempt)
    SELECT copies.id, copies.revision_id, one.queue, 'done', 'wrong_answer', 0, now(), now(), 1 FROM copies, one
"""


def measure_rejudging(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder) / "data", policy=POLICY) as served:
        begun = time.monotonic()
        while PREPARED not in served.text:
            assert time.monotonic() - begun < PATIENCE, served.text
            time.sleep(1)
        _measure(served, rounds)


def _measure(served: Served, rounds: int) -> None:
    """A server with SLUG alone, where POLICY holds."""
    admin, student = _admin(served), served.sign_up()
    source = _accepted()
    pace = PACE * statistics.median(timed(lambda: student.submit(SLUG, source)) for _ in range(ALONE))
    with open_database(read_settings(data=served.data)) as database, database.transaction() as session:
        session.execute(text(_COPIES), {"copies": REJUDGED})
    alone: list[float] = []
    beside: list[float] = []
    judged = []
    for _ in range(rounds):
        alone += _submit(student, source, pace)
        rejudging = admin.client.post("/rejudgings", json={"chosen": {"problem": SLUG, "verdict": "wrong_answer"}})
        address = f"/rejudgings/{rejudging.raise_for_status().json()['id']}"
        beside += _submit(student, source, pace)
        judged.append(_cancel(admin, address))
    report(f"{SLUG}: one every {pace:.1f} s, to its verdict, {len(alone)} of them", alone)
    report(f"the same while {REJUDGED} are judged again, {statistics.mean(judged):.0f} in that time", beside)
    print(
        f"  {'the median with, over the median without':70} {statistics.median(beside) / statistics.median(alone):.2f}"
    )


def _admin(served: Served) -> Student:
    shown = ADMIN.search(served.text)
    assert shown, "the password is printed at the first start only"
    account = {"username": "admin", "password": shown[1]}
    answer = httpx.post(f"{served.url}/api/v1/tokens", json=account, timeout=90)
    return Student(served, answer.raise_for_status().json()["token"])


def _submit(student: Student, source: str, pace: float) -> list[float]:
    """What each one took until its verdict, sent one after another at a pace that waits for none of them."""
    begun = time.monotonic()
    with ThreadPoolExecutor(SUBMISSIONS) as pool:
        waiting = []
        for number in range(SUBMISSIONS):
            time.sleep(max(0.0, begun + number * pace - time.monotonic()))
            waiting.append(pool.submit(timed, lambda: student.submit(SLUG, source)))
        return [each.result() for each in waiting]


def _cancel(admin: Student, address: str) -> int:
    """How many had been judged, all of them accepted: what students do beside it changes no verdict."""
    view: dict[str, Any] = admin.client.post(f"{address}/cancel").raise_for_status().json()
    moves = {move["new"]: move["count"] for move in view["moves"] if move["new"] != "cancelled"}
    assert set(moves) <= {"accepted"}, moves
    return sum(moves.values())


def _accepted() -> str:
    known = load_package(ROOT / "problems" / SLUG).submissions
    return next(submission.source for submission in known if submission.verdict == "accepted")


if __name__ == "__main__":
    measure_rejudging(ROUNDS)
