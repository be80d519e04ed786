"""`allclose admin backup` beside a running server, and `restore` once it has ended."""

from pathlib import Path

import httpx
import pytest

from tests.cli.test_commands import PASSWORD, allclose
from tests.serving import serve


@pytest.mark.whole
@pytest.mark.timeout(900)
def test_a_server_goes_on_where_its_backup_was_made(tmp_path: Path) -> None:
    first, second, file = tmp_path / "first", tmp_path / "second", tmp_path / "monday.backup"
    settings = {"ALLCLOSE_SANDBOX": "bubblewrap"}
    with serve(first, settings) as served:
        student = served.sign_up("ada")
        made = allclose("admin", "backup", file, "--data", first)
        refused = allclose("admin", "restore", file, "--replace", "--yes", "--data", first)
        served.sign_up("late")

    restored = allclose("admin", "restore", file, "--data", second)
    unasked = allclose("admin", "restore", file, "--data", first)
    not_confirmed = allclose("admin", "restore", file, "--replace", "--data", first)
    replaced = allclose("admin", "restore", file, "--replace", "--yes", "--data", first)

    assert made.returncode == 0, made.stderr
    assert "2 users, 1 problem, 0 submissions" in made.stdout.replace("\n", " ")
    assert (refused.returncode, unasked.returncode, not_confirmed.returncode) == (2, 2, 1)
    assert "Stop Allclose" in refused.stderr
    assert "Use --replace to replace all its data" in unasked.stderr
    assert "The database has 3 users" in not_confirmed.stdout.replace("\n", " ")
    for done in (restored, replaced):
        assert done.returncode == 0, done.stderr
        assert "Restored 2 users, 1 problem, 0 submissions" in done.stdout.replace("\n", " ")
    with serve(second, settings) as again:
        headers = {"Authorization": f"Bearer {student.token}"}
        assert httpx.get(f"{again.url}/api/v1/me", headers=headers, timeout=60).json()["username"] == "ada"
        assert "password" not in again.text  # the admin is there already
    late = allclose("admin", "user", "role", "late", "author", "--data", first)
    assert "there is no user 'late'" in late.stderr
    assert "There was no database" not in late.stderr


@pytest.mark.whole
def test_a_command_that_finds_no_database_says_where_it_looked(tmp_path: Path) -> None:
    made = allclose("admin", "user", "create", "ada", "--data", tmp_path)

    assert made.returncode == 0
    assert f"There was no database in {tmp_path}/postgres" in made.stderr


def test_a_backup_needs_the_name_of_a_file(tmp_path: Path) -> None:
    refused = allclose("admin", "backup", tmp_path, "--data", tmp_path / "data")

    assert refused.returncode == 2
    assert "is a folder. Name a file in it" in refused.stderr


def test_a_file_that_is_no_backup_is_said_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text(PASSWORD)

    refused = allclose("admin", "restore", tmp_path / "notes", "--data", tmp_path / "data")

    assert refused.returncode == 2
    assert "not an undamaged backup of Allclose" in refused.stderr
    assert not (tmp_path / "data").exists()
