"""An admin's day by REST alone, on a real server, and a backup in the evening.

The problem is `spread.yaml`. Its reference divides by n, while the formula in its statement says n - 1, so a correct
submission is a wrong answer. The author corrects the problem, and the admin rejudges all submissions.
"""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.test_commands import allclose
from tests.serving import Served, serve

SLUG = "spread"
PACKAGE = (Path(__file__).parent / "spread.yaml").read_text()
CORRECTION = {
    "/ len(x))": "/ (len(x) - 1))",
    "/ x.size)\n    by_dot": "/ (x.size - 1))\n    by_dot",
    "/ len(deviation)": "/ (len(deviation) - 1)",
    r"\sqrt{14 / 4} \approx 1.871": r"\sqrt{14 / 3} \approx 2.160",
}
RIGHT = "import numpy as np\n\n\ndef spread(x):\n    return np.std(x, ddof=1)\n"
COPIED = "def spread(x):\n    return (x - x.mean()).std()\n"
PASSWORD = "correct horse battery"


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_an_admin_invites_rejudges_suspends_and_exports_by_rest_alone(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "evening.backup"
    with serve(data) as served:
        token = allclose("admin", "token", "create", "admin", "--days", "1", "--data", data).stdout.strip()
        admin = client(served, token)
        made = call(admin, "POST", "/invitations", json={"role": "author", "note": "statistics", "days": 7})
        author = sign_up(served, "author", invitation=made["invitation"])
        assert publish(author, PACKAGE) == 1

        careful, copying = sign_up(served, "careful"), sign_up(served, "copying")
        sent = {careful: submit(careful, RIGHT), copying: submit(copying, COPIED)}
        assert {student: verdict(student, sent[student]) for student in sent} == {
            careful: "wrong_answer",
            copying: "accepted",
        }

        assert publish(author, corrected(PACKAGE)) == 2
        assert rejudge(admin) == {
            ("careful", "wrong_answer", "accepted", "better"),
            ("copying", "accepted", "wrong_answer", "worse"),
        }
        assert {student: verdict(student, sent[student]) for student in sent} == {
            careful: "accepted",
            copying: "wrong_answer",
        }

        suspended = call(admin, "GET", "/users", params={"q": "copying"})["items"][0]["id"]
        call(admin, "PATCH", f"/users/{suspended}", json={"is_active": False})
        assert copying.get("/me").status_code == httpx.codes.UNAUTHORIZED
        exported = admin.get("/submissions/export", params={"problem": SLUG, "format": "csv"}).text
        assert len(exported.splitlines()) == 1 + 2
        events = [event["action"] for event in call(admin, "GET", "/audit-events")["items"]]
        assert [each for each in reversed(events) if each.split(".")[0] in ("invitation", "problem", "rejudging")] == [
            "invitation.made",
            "invitation.used",
            "problem.published",
            "problem.published",
            "rejudging.created",
            "rejudging.applied",
        ]
        saved = allclose("admin", "backup", backup, "--data", data)
    restored = allclose("admin", "restore", backup, "--replace", "--yes", "--data", data)

    assert saved.returncode == 0, saved.stderr
    assert restored.returncode == 0, restored.stderr
    assert "4 users, 2 problems, 2 submissions" in restored.stdout


def corrected(package: str) -> str:
    for wrong, right in CORRECTION.items():
        package = package.replace(wrong, right)
    return package


def client(served: Served, token: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=f"{served.url}/api/v1", headers=headers, timeout=90)


def call(user: httpx.Client, method: str, path: str, **more: Any) -> Any:
    return user.request(method, path, **more).raise_for_status().json()


def sign_up(served: Served, name: str, **more: str) -> httpx.Client:
    account = {"username": name, "password": PASSWORD}
    with httpx.Client(base_url=f"{served.url}/api/v1", timeout=90) as visitor:
        call(visitor, "POST", "/users", json={**account, **more})
        return client(served, call(visitor, "POST", "/tokens", json=account)["token"])


def publish(author: httpx.Client, package: str) -> int:
    """Return the number of the revision, after a worker has verified and published the package."""
    headers = {"Content-Type": "application/yaml"}
    sent = call(author, "PUT", f"/problems/{SLUG}", content=package.encode(), headers=headers)
    while sent["state"] in ("queued", "verifying"):
        sent = call(author, "GET", f"/verifications/{sent['id']}?wait=30")
    assert sent["state"] == "passed", json.dumps(sent["report"] or sent["notice"])
    return int(call(author, "GET", f"/problems/{SLUG}/revisions")["items"][0]["number"])


def submit(student: httpx.Client, source: str) -> str:
    sent = call(student, "POST", f"/problems/{SLUG}/submissions", json={"source": source, "mode": "submit"})
    return str(sent["id"])


def verdict(student: httpx.Client, submission: str) -> str:
    while (view := call(student, "GET", f"/submissions/{submission}?wait=30"))["state"] != "done":
        pass
    return str(view["verdict"])


def rejudge(admin: httpx.Client) -> set[tuple[str, str, str, str]]:
    """Rejudge all submissions of the older revision, apply the result and return the changes."""
    wanted = {"chosen": {"problem": SLUG, "outdated": True}, "onto": "current"}
    assert call(admin, "POST", "/rejudging-previews", json=wanted)["total"] == 2
    begun = call(admin, "POST", "/rejudgings", json={**wanted, "note": "the reference divided by n"})
    while begun["state"] == "judging":
        begun = call(admin, "GET", f"/rejudgings/{begun['id']}?wait=30")
    changes = call(admin, "GET", f"/rejudgings/{begun['id']}/changes?only_changed=true")["items"]
    assert call(admin, "POST", f"/rejudgings/{begun['id']}/apply")["state"] == "applied"
    return {(each["user"], each["old"]["verdict"], each["new"]["verdict"], each["kind"]) for each in changes}
