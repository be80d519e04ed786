"""The `allclose admin` commands beside a running server. The audit log names who ran them."""

import getpass
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.cli.test_commands import PASSWORD, allclose
from tests.serving import NO_WORKER, Served, serve


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("admin"), options=NO_WORKER) as served:
        yield served


@pytest.fixture(scope="module")
def api(served: Served) -> Iterator[httpx.Client]:
    """The REST API with a token that a command made for the admin."""
    headers = {"Authorization": f"Bearer {done(served, 'token', 'create', 'admin').strip()}"}
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=headers, timeout=60) as client:
        yield client


def admin(served: Served, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return allclose("admin", *arguments, "--data", served.data, **environment)


def done(served: Served, *arguments: str | Path, **environment: str) -> str:
    """Run the command, and return its output."""
    command = admin(served, *arguments, **environment)
    assert command.returncode == 0, command.stderr
    return command.stdout


def last_event(api: httpx.Client) -> dict[str, Any]:
    """Return the latest entry of a command in the audit log."""
    found: dict[str, Any] = api.get("/audit-events", params={"channel": "command", "limit": 1}).json()["items"][0]
    return found


@pytest.mark.whole
def test_an_account_gets_a_password_and_a_role(served: Served, api: httpx.Client) -> None:
    made = done(served, "user", "create", "grace", "--role", "author", "--email", "grace@example.org")
    given = done(served, "user", "role", "grace", "admin")
    taken = done(served, "user", "role", "grace", "student")

    assert re.fullmatch(r"Created author grace, password \S{20}\n", made)
    assert (given, taken) == ("grace is now an admin\n", "grace is now a student\n")
    event = last_event(api)
    assert (event["action"], event["about"], event["operator"]) == ("user.role_changed", "grace", getpass.getuser())


@pytest.mark.whole
def test_the_log_names_the_user_behind_sudo(served: Served, api: httpx.Client) -> None:
    done(served, "user", "create", "mary", "--password", PASSWORD, SUDO_USER="ada")

    assert last_event(api)["operator"] == "ada"


@pytest.mark.whole
def test_a_taken_and_an_unknown_user_name_are_named_in_the_errors(served: Served) -> None:
    taken = admin(served, "user", "create", "admin")
    unknown = admin(served, "user", "role", "nobody", "author")

    assert (taken.returncode, unknown.returncode) == (2, 2)
    assert "'admin' is taken" in taken.stderr
    assert "there is no user 'nobody'; the page /admin/users lists all users" in unknown.stderr


@pytest.mark.whole
def test_a_suspended_user_is_let_in_again(served: Served, api: httpx.Client) -> None:
    student = served.sign_up("sofja")
    user_id = student.client.get("/me").json()["id"]
    api.patch(f"/users/{user_id}", json={"is_active": False}).raise_for_status()
    suspended = student.client.get("/me")

    done(served, "user", "reactivate", "sofja")

    assert suspended.status_code == 401
    assert suspended.json()["detail"] == "Your account is suspended. Ask an admin."
    assert student.client.get("/me").status_code == 200


@pytest.mark.whole
def test_a_reset_link_lets_its_user_choose_a_password(served: Served, api: httpx.Client) -> None:
    served.sign_up("hedy")

    link = done(served, "user", "reset-password", "hedy").strip()

    page = httpx.get(f"{served.url}/{link.partition('//')[2].partition('/')[2]}", timeout=60)
    assert page.status_code == 200
    assert "password" in page.text
    assert last_event(api)["action"] == "user.reset_link_made"


@pytest.mark.whole
def test_a_token_has_scopes_and_an_end(served: Served, api: httpx.Client) -> None:
    secret = done(served, "token", "create", "admin", "--name", "cron", "--scope", "users:read", "--days", "30").strip()
    headers = {"Authorization": f"Bearer {secret}"}

    statuses = [api.get(path, headers=headers).status_code for path in ("/users", "/settings")]

    assert statuses == [200, 403]
    listed = {each["name"]: each for each in api.get("/tokens").json()["items"]}
    assert listed["cron"]["scopes"] == ["users:read"]
    assert listed["cron"]["expires_at"] is not None


def test_an_unknown_role_is_named_with_the_allowed_ones(served: Served) -> None:
    refused = admin(served, "user", "role", "admin", "wizard")

    assert "Invalid value for 'role': 'wizard' is not one of" in refused.stderr
