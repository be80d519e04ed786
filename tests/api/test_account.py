"""A user's own account over REST: tokens, sessions, password, e-mail, data. Other users' accounts are not found."""

import io
import zipfile
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select

from app.accounts.model import User, UserSession
from app.accounts.session import start_session
from app.accounts.user import find_user
from app.audit import AuditEvent
from app.database.engine import Database

ADA = {"username": "ada", "password": "correct horse"}


@pytest.fixture
def known(anyone: httpx.Client) -> httpx.Client:
    """A visitor without a token. Ada has an account with a password."""
    anyone.post("/users", json=ADA)
    return anyone


@pytest.fixture
def mine(known: httpx.Client) -> httpx.Client:
    """ada, with a password and a token."""
    token = known.post("/tokens", json=ADA).json()["token"]
    known.headers["Authorization"] = f"Bearer {token}"
    return known


def actions(database: Database) -> list[str]:
    with database.transaction() as session:
        return list(session.scalars(select(AuditEvent.action).order_by(AuditEvent.id)))


def test_a_token_with_scopes_and_an_end_does_what_they_say(known: httpx.Client) -> None:
    wanted = ADA | {"scopes": ["submissions:read", "account:read"], "expires_in_days": 7}

    made = known.post("/tokens", json=wanted).json()
    headers = {"Authorization": f"Bearer {made['token']}"}

    assert made["scopes"] == ["account:read", "submissions:read"]
    assert made["expires_at"] > made["created_at"]
    assert known.get("/submissions", headers=headers).status_code == 200
    refused = known.patch("/me", json={"is_ranked": True}, headers=headers)
    assert (refused.status_code, "Create a token with this scope" in refused.json()["detail"]) == (403, True)
    (listed,) = known.get("/tokens", headers=headers).json()["items"]
    assert {key: listed[key] for key in ("id", "scopes", "expires_at")} == {
        key: made[key] for key in ("id", "scopes", "expires_at")
    }
    assert "token" not in listed


@pytest.mark.parametrize(
    ("bounds", "field", "said"),
    [
        ({"scopes": ["users:read"]}, "scopes", "ada is a student and lacks the permission users:read. Choose among"),
        ({"scopes": ["everything"]}, "scopes", "Unknown scope 'everything'. Allowed: account:read"),
        ({"scopes": []}, "scopes", "A token needs at least one scope"),
        ({"expires_in_days": 0}, "expires_in_days", "1 to 3650 days, not 0"),
        ({"expires_in_days": 10**30}, "expires_in_days", "1 to 3650 days"),
        ({"name": "x" * 101}, "name", "at most 100 characters"),
    ],
)
def test_invalid_scopes_names_and_days_of_a_token_are_refused(
    known: httpx.Client, bounds: dict[str, Any], field: str, said: str
) -> None:
    answer = known.post("/tokens", json=ADA | bounds)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field
    assert said in answer.json()["detail"]


def test_a_new_password_needs_the_current_one_and_ends_all_sessions(mine: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        start_session(session, session.scalars(select(User.id)).one())

    wrong = mine.put("/me/password", json={"current": "wrong horse", "new": "battery staple"})
    short = mine.put("/me/password", json={"current": "correct horse", "new": "short"})
    right = mine.put("/me/password", json={"current": "correct horse", "new": "battery staple"})

    assert [answer.status_code for answer in (wrong, short, right)] == [403, 422, 204]
    assert short.json()["errors"][0]["field"] == "new"
    with database.transaction() as session:
        assert session.scalars(select(UserSession)).all() == []
    assert mine.post("/tokens", json=ADA).status_code == 401
    assert mine.post("/tokens", json=ADA | {"password": "battery staple"}).status_code == 201


def test_a_new_email_address_needs_the_password(mine: httpx.Client) -> None:
    address = {"email": "ada@example.org"}

    assert mine.patch("/me", json=address).status_code == 403
    assert mine.patch("/me", json=address | {"password": "correct horse"}).json()["email"] == "ada@example.org"
    assert mine.patch("/me", json={"is_ranked": True}).json()["is_ranked"] is True
    assert mine.patch("/me", json={}).json()["is_ranked"] is True
    assert mine.patch("/me", json={"email": None, "password": "correct horse"}).json()["email"] is None
    assert mine.patch("/me", json={"email": "nowhere", "password": "correct horse"}).status_code == 422


def test_a_user_exports_their_data_as_one_file(mine: httpx.Client) -> None:
    answer = mine.get("/me/export")

    assert answer.headers["content-disposition"] == 'attachment; filename="allclose-ada.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert {"README.txt", "account.json"} <= set(archive.namelist())


def test_only_ten_exports_an_hour_are_made(app: FastAPI, mine: httpx.Client) -> None:
    me = mine.get("/me").json()["id"]
    for _ in range(10):
        app.state.limits.exports.use(me)

    answer = mine.get("/me/export")

    assert answer.status_code == 429
    assert "More than 10 exports of your data in 1 hour" in answer.json()["detail"]
    assert int(answer.headers["retry-after"]) > 0


def test_an_account_is_erased_by_its_owners_password_only(mine: httpx.Client, database: Database) -> None:
    assert mine.request("DELETE", "/me").status_code == 422
    assert mine.request("DELETE", "/me", json={"password": "wrong horse"}).status_code == 403
    assert mine.get("/me").status_code == 200

    assert mine.request("DELETE", "/me", json={"password": "correct horse"}).status_code == 204
    assert mine.get("/me").status_code == 401
    with database.transaction() as session:
        assert find_user(session, "ada") is None


def test_the_audit_log_records_changes_of_the_own_account(mine: httpx.Client, database: Database) -> None:
    mine.patch("/me", json={"email": "ada@example.org", "password": "correct horse"})
    mine.put("/me/password", json={"current": "correct horse", "new": "battery staple"})
    mine.get("/me/export")
    (token,) = mine.get("/tokens").json()["items"]
    mine.delete(f"/tokens/{token['id']}")

    own = [action for action in actions(database) if action != "user.signed_up"]
    assert own == [
        "token.created",
        "user.email_changed",
        "user.password_changed",
        "user.exported",
        "token.revoked",
    ]
