"""A class hands in at the deadline while the web process is killed: what was accepted is stored, judged and in time."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from threading import Timer
from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.faults.deployment import Deployment, deploy
from tests.serving import RIGHT, SLUG, wait_for

STUDENTS, EACH = 10, 5
BEFORE = timedelta(seconds=2)

pytestmark = pytest.mark.whole


@pytest.mark.timeout(600)
def test_each_accepted_hand_in_of_the_last_2_seconds_has_one_row_and_one_verdict_in_time(tmp_path: Path) -> None:
    with deploy(tmp_path, webs=1, workers=1) as deployment:
        tokens = [deployment.sign_up(f"student-{number}") for number in range(STUDENTS)]
        due_at = datetime.now(UTC) + timedelta(seconds=10)
        path = _make_homework(deployment, due_at)

        _wait_until(due_at - BEFORE)
        killing = Timer(BEFORE.total_seconds() / 2, deployment.webs[0].send, [signal.SIGKILL])
        killing.start()
        with ThreadPoolExecutor(STUDENTS * EACH) as threads:
            sent = list(threads.map(lambda number: _hand_in(deployment, tokens, path, number), range(STUDENTS * EACH)))
        killing.join()
        wait_for(deployment.webs[0].is_ready)
        accepted = [number for number in sent if number is not None]
        rows = _read_when_judged(deployment)

    assert accepted
    assert deployment.webs[0].starts == 2
    by_number = {number: [row for row in rows if f"# {number}\n" in row[0]] for number in accepted}
    assert {number: len(found) for number, found in by_number.items()} == dict.fromkeys(accepted, 1)
    assert {verdict for _, verdict, _ in rows} == {"accepted"}
    assert max(created_at for *_, created_at in rows) <= due_at


def _make_homework(deployment: Deployment, due_at: datetime) -> str:
    """Return its path. All students join the course."""
    roster = "username\n" + "".join(f"student-{number}\n" for number in range(STUDENTS))
    homework: dict[str, Any] = {"title": "Homework", "attempts": EACH, "grace_seconds": 0}
    homework |= {"problems": [{"problem": SLUG}], "due_at": due_at.isoformat()}
    homework["opens_at"] = (due_at - timedelta(days=1)).isoformat()
    with deployment.client(deployment.admin_token) as teacher:
        course = f"/courses/{teacher.post('/courses', json={'title': 'Term', 'timezone': 'UTC'}).json()['slug']}"
        teacher.post(f"{course}/roster", json={"csv": roster, "takes_accounts": True}).raise_for_status()
        teacher.patch(course, json={"state": "open"}).raise_for_status()
        made = teacher.post(f"{course}/assignments", json=homework).raise_for_status().json()
    return f"{course}/assignments/{made['slug']}/problems/{SLUG}/submissions"


def _hand_in(deployment: Deployment, tokens: list[str], path: str, number: int) -> int | None:
    """Send within the last 2 seconds, again with the same key while the server is away; return what was accepted."""
    time.sleep(BEFORE.total_seconds() * number / (STUDENTS * EACH))
    key = {"Idempotency-Key": str(uuid4())}
    with deployment.client(tokens[number % STUDENTS]) as client:
        for _ in range(100):
            try:
                answer = client.post(path, json={"source": f"# {number}\n{RIGHT}"}, headers=key)
            except httpx.TransportError:
                time.sleep(0.2)
                continue
            if answer.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                return number if answer.status_code == HTTPStatus.ACCEPTED else None
    return None


def _read_when_judged(deployment: Deployment) -> list[tuple[str, str, datetime]]:
    """Return the source, verdict and time of each hand-in."""
    query = """SELECT source, verdict, created_at FROM submissions
        JOIN judgings ON submission_id = submissions.id WHERE assignment_id IS NOT NULL"""

    def read() -> list[Any]:
        with deployment.database.connect() as connection:
            return connection.execute(query).fetchall()

    wait_for(lambda: all(verdict is not None for _, verdict, _ in read()))
    return [(source, verdict, created_at) for source, verdict, created_at in read()]


def _wait_until(moment: datetime) -> None:
    time.sleep(max(0.0, (moment - datetime.now(UTC)).total_seconds()))
