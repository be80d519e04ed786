"""An exam on a running server: what stands in the editor at the end is handed in, though the server was killed."""

import os
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.serving import NO_WORKER, RIGHT, SLUG, serve, wait_for

pytestmark = pytest.mark.whole

PASSWORD = "correct horse battery"
SECONDS = 15


def test_the_last_draft_is_handed_in_though_the_server_was_killed(tmp_path: Path) -> None:
    with serve(tmp_path, options=NO_WORKER) as served, served.admin() as teacher:
        admin_token = teacher.headers["Authorization"]
        student = served.sign_up("student-ada")
        course = f"/courses/{teacher.post('/courses', json={'title': 'Term', 'timezone': 'UTC'}).json()['slug']}"
        teacher.post(f"{course}/members", json={"username": "student-ada"}).raise_for_status()
        teacher.patch(course, json={"state": "open"}).raise_for_status()
        made = teacher.post(f"{course}/assignments", json=describe_exam()).raise_for_status().json()
        path = f"{course}/assignments/{made['slug']}"

        with httpx.Client(base_url=served.url, timeout=90) as browser:
            browser.post("/sign-in", data={"username": "student-ada", "password": PASSWORD})
            browser.post(f"{path}/begin", data={"password": ""})
            draft = {"source": RIGHT, "base": None}
            browser.put(f"{path}/problems/{SLUG}/draft", json=draft).raise_for_status()
        assert student.client.get("/me/assignments").status_code == httpx.codes.FORBIDDEN
        os.killpg(served.process.pid, signal.SIGKILL)
        served.process.wait()
    time.sleep(max(0.0, (datetime.fromisoformat(made["due_at"]) - datetime.now(UTC)).total_seconds()))

    with serve(tmp_path, options=NO_WORKER) as served:
        headers = {"Authorization": admin_token}
        with httpx.Client(base_url=f"{served.url}/api/v1", headers=headers, timeout=90) as teacher:

            def find_row() -> dict[str, Any]:
                rows: list[dict[str, Any]] = teacher.get(f"{path}/sittings").json()["items"]
                return rows[0]

            wait_for(lambda: find_row()["handed_in"] == 1)
            row = find_row()
            sent = teacher.get("/submissions?everyone=true").json()["items"]

    assert (row["state"], row["ends_at"]) == ("time up", made["due_at"])
    assert [each["created_at"] for each in sent] == [made["due_at"]]


def describe_exam() -> dict[str, Any]:
    """The window ends soon, and with it the student's time."""
    now = datetime.now(UTC)
    return {
        "title": "Midterm",
        "kind": "exam",
        "minutes": 60,
        "grace_seconds": 0,
        "problems": [{"problem": SLUG, "points": 8}],
        "opens_at": (now - timedelta(hours=1)).isoformat(),
        "due_at": (now + timedelta(seconds=SECONDS)).isoformat(),
    }
