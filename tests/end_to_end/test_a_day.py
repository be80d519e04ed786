"""The admin's day of docs/operations as it is written: by REST alone, on a real server. A backup follows."""

import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.cli.test_commands import allclose
from tests.serving import serve

SCRIPT = ROOT / "docs" / "operations" / "a_day.py"


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_an_admins_day_goes_as_it_is_written(tmp_path: Path) -> None:
    data, backup = tmp_path / "data", tmp_path / "evening.backup"
    with serve(data) as served:
        token = allclose("admin", "token", "create", "admin", "--days", "1", "--data", data).stdout.strip()
        day = subprocess.run([sys.executable, SCRIPT, served.url, token], capture_output=True, text=True)
        made = allclose("admin", "backup", backup, "--data", data)
    restored = allclose("admin", "restore", backup, "--replace", "--yes", "--data", data)

    assert day.returncode == 0, day.stderr + day.stdout
    for said in (
        "published spread, revision 1",
        "is right, and is told: wrong_answer",
        "published spread, revision 2",
        "2 submissions were judged by an older revision",
        "wrong_answer → accepted, better",
        "accepted → wrong_answer, worse",
        "the rejudging is applied",
        "is told now: accepted",
        "is told now: wrong_answer",
        "their next request is a 401",
        "exported 2 submissions",
    ):
        assert said in day.stdout, day.stdout
    done = [line.split()[-1] for line in day.stdout.splitlines() if line.startswith("  20")]
    in_order = ["invitation.made", "invitation.used", "problem.published", "rejudging.created", "user.suspended"]
    assert [action for action in done if action in in_order] == [*in_order[:3], "problem.published", *in_order[3:]]
    assert made.returncode == 0, made.stderr
    assert restored.returncode == 0, restored.stderr
    assert "4 users, 2 problems, 2 submissions" in restored.stdout
