"""The `allclose admin` commands, with a running server and without one."""

import csv
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.test_commands import PASSWORD, allclose
from tests.serving import RIGHT, SLUG, Served, serve


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("admin")) as served:
        yield served


def admin(served: Served, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return allclose("admin", *arguments, "--data", served.data)


def done(served: Served, *arguments: str | Path) -> str:
    """Run the command, and return its output."""
    command = admin(served, *arguments)
    assert command.returncode == 0, command.stderr
    return command.stdout


def told(served: Served, *arguments: str | Path) -> dict[str, Any]:
    """Run the command with --json, and return the object that it prints."""
    found: dict[str, Any] = json.loads(done(served, *arguments, "--json"))
    return found


def status(served: Served, path: str, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.get(f"{served.url}/api/v1{path}", headers=headers, timeout=60).status_code


def last_actions(served: Served) -> list[str]:
    """Return the actions of commands in the audit log, the latest first."""
    return [event["action"] for event in told(served, "audit")["items"] if event["channel"] == "command"]


def test_help_names_all_that_there_is() -> None:
    shown = allclose("admin", "--help").stdout

    for command in ("user", "token", "rejudge", "settings", "audit", "backup", "restore"):
        assert command in shown


@pytest.mark.whole
def test_an_account_is_made_shown_and_listed(served: Served) -> None:
    made = done(served, "user", "create", "grace", "--role", "author", "--email", "grace@example.org")

    assert re.fullmatch(r"Created author grace, password \S{20}\n", made)
    assert "author" in done(served, "user", "show", "grace")
    assert told(served, "user", "show", "grace")["email"] == "grace@example.org"
    assert [user["username"] for user in told(served, "user", "list", "grace@")["items"]] == ["grace"]
    assert "grace" in done(served, "user", "list", "--role", "author")
    assert last_actions(served)[0] == "user.created"


@pytest.mark.whole
def test_a_taken_user_name_and_an_unknown_one_are_named_in_the_errors(served: Served) -> None:
    taken = admin(served, "user", "create", "admin")
    unknown = admin(served, "user", "show", "nobody")

    assert (taken.returncode, unknown.returncode) == (2, 2)
    assert "'admin' is taken" in taken.stderr
    assert "there is no user 'nobody'; `allclose admin user list` lists all users" in unknown.stderr


@pytest.mark.whole
def test_a_role_is_given_and_taken(served: Served) -> None:
    done(served, "user", "create", "emmy", "--password", PASSWORD)

    given = done(served, "user", "role", "emmy", "author")
    taken = done(served, "user", "role", "emmy", "student")

    assert (given, taken) == ("emmy is now an author\n", "emmy is now a student\n")
    assert last_actions(served)[:2] == ["user.role_changed"] * 2


@pytest.mark.whole
def test_the_last_admin_stays(served: Served) -> None:
    refused = admin(served, "user", "role", "admin", "student")

    assert refused.returncode == 2
    assert "last active admin" in refused.stderr


@pytest.mark.whole
def test_who_is_suspended_is_out_until_reactivated(served: Served) -> None:
    student = served.sign_up("sofja")

    done(served, "user", "suspend", "sofja", "--yes")
    suspended = status(served, "/me", student.token)
    listed = [user["username"] for user in told(served, "user", "list", "--state", "suspended")["items"]]
    done(served, "user", "reactivate", "sofja")

    assert suspended == 401
    assert listed == ["sofja"]
    assert status(served, "/me", student.token) == 200


@pytest.mark.whole
def test_what_can_not_be_undone_is_asked_for(served: Served) -> None:
    served.sign_up("maria")

    unasked = admin(served, "user", "erase", "maria")
    done(served, "user", "erase", "maria", "--yes")

    assert unasked.returncode == 1
    assert "You can't undo this." in unasked.stdout
    assert admin(served, "user", "show", "maria").returncode == 2


@pytest.mark.whole
def test_a_reset_link_lets_its_user_choose_a_password(served: Served) -> None:
    served.sign_up("hedy")

    link = done(served, "user", "reset-password", "hedy").strip()

    page = httpx.get(f"{served.url}/{link.partition('//')[2].partition('/')[2]}", timeout=60)
    assert page.status_code == 200
    assert "password" in page.text
    assert last_actions(served)[0] == "user.reset_link_made"


@pytest.mark.whole
def test_a_personal_data_export_is_readable_by_its_owner_only(served: Served, tmp_path: Path) -> None:
    served.sign_up("joan")

    done(served, "user", "export", "joan", tmp_path / "joan.zip")
    again = admin(served, "user", "export", "joan", tmp_path / "joan.zip")

    assert (tmp_path / "joan.zip").read_bytes().startswith(b"PK")
    assert (tmp_path / "joan.zip").stat().st_mode & 0o777 == 0o600
    assert again.returncode == 2
    assert "Name another file" in again.stderr


@pytest.mark.whole
def test_a_token_has_scopes_and_an_end_and_is_revoked(served: Served) -> None:
    done(served, "user", "create", "robot", "--role", "admin", "--password", PASSWORD)

    made = ("token", "create", "robot", "--name", "backup", "--scope", "users:read", "--days", "30")
    token = told(served, *made)
    allowed, refused = status(served, "/users", token["token"]), status(served, "/settings", token["token"])
    listed = told(served, "token", "list", "robot")["items"]
    done(served, "token", "revoke", "robot", token["id"])

    assert (allowed, refused) == (200, 403)
    assert [(one["name"], one["scopes"]) for one in listed] == [("backup", ["users:read"])]
    assert listed[0]["expires_at"] is not None
    assert status(served, "/users", token["token"]) == 401
    assert "alc_" not in done(served, "token", "list", "robot")


@pytest.mark.whole
def test_a_scope_that_is_none_is_said(served: Served) -> None:
    refused = admin(served, "token", "create", "admin", "--scope", "everything")

    assert refused.returncode == 2
    assert "Unknown scope 'everything'. Allowed: account:read" in refused.stderr


@pytest.mark.whole
def test_a_setting_holds_from_the_next_request_on(served: Served) -> None:
    before = done(served, "settings", "show")
    changed = done(served, "settings", "set", "announcement", "Exam on Friday")
    page = httpx.get(f"{served.url}/problems", timeout=60).text
    done(served, "settings", "reset", "announcement")

    assert "max_pending" in before
    assert changed == "announcement is now Exam on Friday\n"
    assert "Exam on Friday" in page
    values = {each["name"]: each["value"] for each in told(served, "settings", "show")["items"]}
    assert values["announcement"] == ""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("max_pending", "many", "whole number from 1 to 10,000"), ("maximum", "3", "Unknown setting 'maximum'")],
)
def test_a_wrong_setting_is_said(served: Served, name: str, value: str, words: str) -> None:
    refused = admin(served, "settings", "set", name, value)

    assert refused.returncode == 2
    assert words in refused.stderr


@pytest.mark.whole
def test_the_log_is_narrowed_down(served: Served) -> None:
    done(served, "settings", "set", "max_pending", "30")
    done(served, "settings", "set", "max_pending", "20")

    found = told(served, "audit", "--action", "setting.changed", "--kind", "setting", "--target", "max_pending")

    assert [(event["before"], event["after"]) for event in found["items"]][:2] == [
        ({"max_pending": 30}, {"max_pending": 20}),
        ({"max_pending": 20}, {"max_pending": 30}),
    ]
    assert "max_pending 30 → 20" in done(served, "audit", "--action", "setting.changed")
    assert told(served, "audit", "--until", "2020-01-01")["items"] == []


@pytest.mark.whole
def test_submissions_are_judged_again_looked_at_and_applied(served: Served) -> None:
    student = served.sign_up("vera")
    student.submit(SLUG, RIGHT)

    begun = told(served, "rejudge", "begin", "--user", "vera", "--note", "to be sure", "--watch", "--yes")
    shown = done(served, "rejudge", "show", begun["id"])
    changes = told(served, "rejudge", "changes", begun["id"], "--all")["items"]
    applied = done(served, "rejudge", "apply", begun["id"], "--yes")
    again = admin(served, "rejudge", "cancel", begun["id"], "--yes")

    assert (begun["state"], begun["total"], begun["judged"]) == ("ready", 1, 1)
    assert "to be sure" in shown
    assert [(change["user"], change["kind"]) for change in changes] == [("vera", "same")]
    assert applied == "Applied. Changed results: 0 of 1\n"
    assert again.returncode == 2
    assert "already applied" in again.stderr
    assert begun["id"] in done(served, "rejudge", "list")


@pytest.mark.whole
def test_submissions_are_exported_to_a_file(served: Served, tmp_path: Path) -> None:
    served.sign_up("chien").submit(SLUG, RIGHT, mode="sample")

    done(served, "export", "submissions", tmp_path / "all.csv", "--user", "chien", "--format", "csv", "--source")
    refused = admin(served, "export", "submissions", tmp_path / "none", "--verdict", "fine")

    heading, *rows = csv.reader((tmp_path / "all.csv").read_text("utf-8-sig").splitlines(keepends=True))
    assert [(dict(zip(heading, row, strict=True)))["problem"] for row in rows] == [SLUG]
    assert rows[0][heading.index("source")] == RIGHT
    assert refused.returncode == 2
    assert not (tmp_path / "none").exists()


@pytest.mark.whole
def test_a_rejudging_is_cancelled(served: Served) -> None:
    served.sign_up("rosalind").submit(SLUG, RIGHT)
    begun = told(served, "rejudge", "begin", "--user", "rosalind", "--yes")

    done(served, "rejudge", "cancel", begun["id"], "--yes")

    assert told(served, "rejudge", "show", begun["id"])["state"] == "cancelled"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "All submissions match"),
        (("--user", "nobody"), "nobody"),
        (("--verdict", "fine"), "verdict is 'fine'"),
        (("--cause", "BoxLost: box # died"), "No judged submission matches"),
    ],
)
def test_a_choice_that_can_not_be_meant_is_refused(served: Served, arguments: tuple[str, ...], words: str) -> None:
    refused = admin(served, "rejudge", "begin", *arguments, "--yes")

    assert refused.returncode == 2
    assert words in refused.stderr
