"""`allclose doctor`, as people and machines read it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import allclose
from tests.sandbox.ordinary_user import PROJECT

LEVELS = {"fine", "weak", "optional", "missing"}
NO_ENGINE = {"DOCKER_HOST": "unix:///nowhere/docker.sock"}


def examined(**environment: str) -> dict[str, Any]:
    done = allclose("doctor", "--json", **environment)
    found: dict[str, Any] = json.loads(done.stdout)
    assert done.stderr == ""
    assert done.returncode == (0 if found["can_judge"] else 1)
    return found


def test_this_machine_is_found_fit_in_a_last_sentence() -> None:
    done = allclose("doctor")

    assert done.returncode == 0, done.stdout
    assert "This machine can judge. Boxes run in" in done.stdout.splitlines()[-1]


@pytest.mark.whole
def test_the_fields_for_machines_are_those_of_the_docs() -> None:
    found = examined()

    assert list(found) == ["can_judge", "sandbox", "isolation", "chosen", "why", "settings", "findings"]
    for finding in found["findings"]:
        assert list(finding) == ["part", "name", "level", "text", "remedy"]
        assert finding["level"] in LEVELS
        assert finding["level"] == "fine" or finding["remedy"], finding
    described = (PROJECT / "docs" / "sandbox.md").read_text()
    assert all(f"`{field}`" in described for field in (*found, "part", "name", "level", "text", "remedy"))


@pytest.mark.whole
def test_the_other_sandbox_is_named_where_the_one_demanded_opens_no_box() -> None:
    found = examined(ALLCLOSE_SANDBOX="docker", **NO_ENGINE)
    said = allclose("doctor", ALLCLOSE_SANDBOX="docker", **NO_ENGINE).stdout

    assert (found["can_judge"], found["sandbox"], found["chosen"]) == (False, None, "docker")
    assert "This machine can't judge yet" in said
    assert "export ALLCLOSE_SANDBOX=bubblewrap" in said


def test_texts_keep_to_80_columns_and_commands_are_not_broken() -> None:
    lines = allclose("doctor", COLUMNS="80", **NO_ENGINE).stdout.splitlines()

    assert max(len(line) for line in lines if "→" not in line) <= 80
    assert any(line.strip() == "→ sudo systemctl start docker  # or correct or unset DOCKER_HOST" for line in lines)


@pytest.mark.whole
@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/none", "mysql://somewhere"])
def test_a_database_that_does_not_answer_is_named(url: str) -> None:
    done = allclose("doctor", ALLCLOSE_DATABASE_URL=url)

    assert done.returncode == 1
    assert "ALLCLOSE_DATABASE_URL" in done.stdout


@pytest.mark.whole
@pytest.mark.parametrize(("url", "level"), [({}, "missing"), ({"ALLCLOSE_DATABASE_URL": "postgresql://x"}, "weak")])
def test_a_data_folder_that_cannot_be_made_is_named(url: dict[str, str], level: str) -> None:
    found = examined(ALLCLOSE_DATA="/dev/null/data", ALLCLOSE_SANDBOX="bubblewrap", **url)

    (finding,) = [finding for finding in found["findings"] if finding["name"] == "data folder"]
    assert not found["can_judge"]
    assert finding["level"] == level
    assert "ALLCLOSE_DATA" in finding["remedy"]


@pytest.mark.skipif(os.geteuid() != 0, reason="makes an ordinary user of itself")
def test_closed_folders_are_findings_to_an_ordinary_user(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    program = (
        "import sys; from tests.sandbox.ordinary_user import become_ordinary; become_ordinary();"
        "from app.cli import main; sys.argv[1:] = ['doctor', '--json']; main()"
    )
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1"}
    closed = {"ALLCLOSE_DATA": str(tmp_path / "data"), "ALLCLOSE_RUNTIME": str(tmp_path / "runtime")}

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, env=environment | closed, capture_output=True, text=True
    )

    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    lacking = {finding["name"] for finding in json.loads(done.stdout)["findings"] if finding["level"] == "missing"}
    assert lacking >= {"runtime", "data folder"}
