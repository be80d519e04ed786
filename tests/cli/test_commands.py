"""The other commands: list, submit, and settings that stop the start with a sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import ROOT
from tests.serving import RIGHT, SLUG, Served

PASSWORD = "correct horse battery"


def allclose(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "app.cli", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env=os.environ | {"COLUMNS": "200"} | environment
    )


def test_problem_list_keeps_slugs_and_words_whole_in_80_columns(tmp_path: Path) -> None:
    longest = sorted((path.parent for path in (ROOT / "problems").glob("*/problem.yaml")), key=lambda p: -len(p.name))
    for folder in longest[:5]:
        (tmp_path / folder.name).symlink_to(folder)

    listed = allclose("problem", "list", COLUMNS="80", ALLCLOSE_PROBLEMS=str(tmp_path))

    assert all(folder.name in listed.stdout for folder in longest[:5])
    assert max(map(len, listed.stdout.splitlines())) <= 80
    assert "intermediate" in listed.stdout
    assert "…" not in listed.stdout


def test_the_start_of_a_command_imports_no_heavy_library() -> None:
    program = "import sys, app.cli.main; print(*sys.modules)"

    imported = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)

    assert not {"numpy", "sqlalchemy", "fastapi"} & set(imported.stdout.split())


def test_problem_list_says_what_is_wrong_with_a_package(tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "problem.yaml").write_text("title: 3\ndificulty: beginner\n")

    listed = allclose("problem", "list", "--folder", tmp_path)

    assert listed.returncode == 1
    assert "problem.yaml:2" in listed.stderr
    assert "difficulty" in listed.stderr


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("ALLCLOSE_SLOTS", "many", "ALLCLOSE_SLOTS is 'many'"),
        ("ALLCLOSE_SANDBOX", "none", "ALLCLOSE_SANDBOX is 'none'"),
        ("ALLCLOSE_SERVER", "judge", "begins with http://"),
        ("ALLCLOSE_SLOT", "2", "unknown setting ALLCLOSE_SLOT: did you mean ALLCLOSE_SLOTS?"),
        ("ALLCLOSE_X", "2", "unknown setting ALLCLOSE_X: correct it or unset it. docs/configuration.md lists all"),
        ("ALLCLOSE_TRUSTED_PROXIES", "proxy", "write such as 127.0.0.1 or 10.0.0.0/8, separated by commas"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_a_sentence(setting: str, value: str, words: str) -> None:
    started = allclose("serve", **{setting: value})

    assert started.returncode == 2
    assert words in started.stderr
    assert "Traceback" not in started.stderr


@pytest.mark.whole
def test_a_user_is_created_beside_a_running_server_and_submits(served: Served, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "ALLCLOSE_SERVER": served.url}
    solution = tmp_path / "solution.py"
    solution.write_text(RIGHT)

    created = allclose("admin", "user", "create", "grace", "--password", PASSWORD, "--data", served.data)
    refused = allclose("submit", SLUG, solution, **home)
    signed_in = allclose("login", "grace", "--password", PASSWORD, **home)
    submitted = allclose("submit", SLUG, solution, **home)

    assert created.returncode == 0, created.stderr
    assert refused.returncode == 2
    assert "allclose login" in refused.stderr
    assert signed_in.returncode == 0, signed_in.stderr
    assert submitted.returncode == 0, submitted.stderr
    assert "accepted" in submitted.stdout
    tokens = tmp_path / ".config" / "allclose" / "tokens.json"
    assert tokens.stat().st_mode & 0o077 == 0
