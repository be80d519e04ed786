"""Admin commands about users: tables to copy from, invitations, the actor in the audit log, and confirmations."""

import getpass
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.settings import ROOT
from tests.cli.test_admin import admin, done, status, told
from tests.cli.test_commands import PASSWORD, allclose
from tests.serving import NO_WORKER, Served, serve

NARROW = {"COLUMNS": "80"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("people"), options=NO_WORKER) as served:
        yield served


def in_terminal(served: Served, *arguments: str) -> str:
    """Run a command in a terminal of 80 columns, and return its output."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "app.cli", "admin", *arguments, "--data", str(served.data)]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=ROOT, env=os.environ | NARROW)
    os.close(theirs)
    read = b""
    try:
        while piece := os.read(ours, 4096):
            read += piece
    except OSError:  # how a terminal reports that its last writer has closed it
        pass
    os.close(ours)
    assert process.wait() == 0, read.decode()
    return re.sub(r"\x1b\[[0-9;]*m", "", read.decode())


@pytest.mark.whole
def test_ids_names_and_dates_are_unbroken_in_80_columns(served: Served) -> None:
    done(served, "user", "create", "ada", "--password", PASSWORD)
    token = told(served, "token", "create", "ada", "--name", "the machine in the corner of the laboratory")

    tokens, settings = in_terminal(served, "token", "list", "ada"), in_terminal(served, "settings", "show")
    log, users = in_terminal(served, "audit"), in_terminal(served, "user", "list")

    assert token["id"] in tokens
    assert "judging_seconds_per_hour" in settings
    assert "token.created" in log
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", users)


@pytest.mark.whole
def test_what_is_piped_has_a_line_for_each_row(served: Served) -> None:
    done(served, "settings", "set", "announcement", "word " * 60)

    shown = allclose("admin", "settings", "show", "--data", served.data, **NARROW).stdout.splitlines()

    rows = told(served, "settings", "show")["items"]
    assert [line.split()[0] for line in shown] == ["setting", *(row["name"] for row in rows)]
    assert any(("word " * 60).strip() in line for line in shown)
    assert all(line == line.rstrip() for line in shown)


@pytest.mark.whole
def test_a_token_made_by_a_command_is_found_by_its_owner_and_by_who_ran_it(served: Served) -> None:
    done(served, "user", "create", "mary", "--password", PASSWORD)
    token = told(served, "token", "create", "mary", "--name", "probe")

    event = told(served, "audit", "--about", "mary", "--channel", "command", "--action", "token.created")["items"][0]

    assert (event["target"], event["about"], event["after"]["name"]) == (token["id"], "mary", "probe")
    assert event["operator"] == getpass.getuser()
    assert f"({getpass.getuser()})" in done(served, "audit", "--about", "mary")
    assert told(served, "audit", "--about", "mary", "--channel", "page")["items"] == []


@pytest.mark.whole
def test_who_became_root_by_sudo_is_named(served: Served) -> None:
    allclose("admin", "settings", "set", "max_pending", "21", "--data", served.data, SUDO_USER="grace")

    assert told(served, "audit", "--target", "max_pending")["items"][0]["operator"] == "grace"


@pytest.mark.whole
def test_an_export_of_submissions_is_in_the_audit_log(served: Served, tmp_path: Path) -> None:
    done(served, "export", "submissions", tmp_path / "all.csv", "--verdict", "accepted", "--source")

    event = told(served, "audit", "--action", "submissions.exported")["items"][0]

    assert event["after"] == {"filters": {"verdict": "accepted"}, "with_source": True}


@pytest.mark.whole
def test_an_invitation_is_made_listed_and_withdrawn(served: Served) -> None:
    link = done(served, "user", "invite", "--role", "author", "--days", "3", "--note", "for the summer").strip()
    made = told(served, "user", "invite")
    done(served, "user", "withdraw", made["id"])
    listed = {each["id"]: each for each in told(served, "user", "invitations")["items"]}

    account = {"username": "guest", "password": PASSWORD, "invitation": link.rpartition("/")[2]}
    joined = httpx.post(f"{served.url}/api/v1/users", json=account, timeout=60).json()
    again = admin(served, "user", "withdraw", "00000000-0000-0000-0000-000000000001")
    assert joined["role"] == "author"
    assert made["link"].endswith(made["invitation"])
    assert listed[made["id"]]["state"] == "revoked"
    assert sorted((each["role"], each["note"]) for each in listed.values()) == [
        ("author", "for the summer"),
        ("student", ""),
    ]
    assert again.returncode == 2
    assert "for the summer" in done(served, "user", "invitations")


@pytest.mark.whole
def test_whose_role_lacks_a_scope_is_said_by_name(served: Served) -> None:
    done(served, "user", "create", "emmy", "--role", "author", "--password", PASSWORD)

    refused = admin(served, "token", "create", "emmy", "--scope", "users:write")

    assert refused.returncode == 2
    assert "emmy is an author and lacks the permission users:write. Choose among the role's" in refused.stderr


def test_what_is_no_role_is_said_without_words_of_a_library(served: Served) -> None:
    refused = admin(served, "user", "role", "admin", "wizard")

    assert "Invalid value for 'role': 'wizard' is not one of" in refused.stderr


@pytest.mark.whole
def test_a_folder_is_no_file_to_write_and_none_to_remove(served: Served, tmp_path: Path) -> None:
    refused = admin(served, "backup", tmp_path)

    assert refused.returncode == 2
    assert "is a folder. Name a file in it" in refused.stderr
    assert "remove" not in refused.stderr


@pytest.mark.whole
def test_what_a_setting_would_remove_is_asked_first(served: Served) -> None:
    done(served, "settings", "set", "keep_ended_days", "")
    token = told(served, "token", "create", "admin", "--name", "old")
    done(served, "token", "revoke", "admin", token["id"])
    in_database(served, "UPDATE tokens SET revoked_at = now() - interval '400 days' WHERE name = 'old'")

    unasked = admin(served, "settings", "reset", "keep_ended_days")
    kept = told(served, "settings", "show")["items"]
    set_ = done(served, "settings", "set", "keep_ended_days", "500")
    asked = admin(served, "settings", "set", "keep_ended_days", "30")
    sure = done(served, "settings", "set", "keep_ended_days", "30", "--yes")

    assert (unasked.returncode, asked.returncode) == (1, 1)
    assert "keep_ended_days = 90 would remove 1 tokens, for good and within 1 hour. Save it?" in unasked.stdout
    assert {each["name"]: each["value"] for each in kept}["keep_ended_days"] is None
    assert (set_, sure) == ("keep_ended_days is now 500\n", "keep_ended_days is now 30\n")


@pytest.mark.whole
def test_a_suspended_user_reads_so_by_their_token(served: Served) -> None:
    student = served.sign_up("sofja")
    done(served, "user", "suspend", "sofja", "--yes")

    answer = student.client.get("/me")

    assert (answer.status_code, status(served, "/me", "alc_unknown")) == (401, 401)
    assert answer.json()["detail"] == "Your account is suspended. Ask an admin."


def in_database(served: Served, statement: str) -> None:
    from sqlalchemy import text

    from app.cli.deployment import open_database
    from app.settings import read_settings

    with open_database(read_settings(data=str(served.data))) as database, database.transaction() as session:
        session.execute(text(statement))
