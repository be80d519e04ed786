"""A user's own tokens over REST."""

from typing import Any

import httpx
import pytest
from sqlalchemy import select

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
    refused = known.delete(f"/tokens/{made['id']}", headers=headers)
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


def test_the_audit_log_records_the_own_tokens(mine: httpx.Client, database: Database) -> None:
    (token,) = mine.get("/tokens").json()["items"]
    mine.delete(f"/tokens/{token['id']}")

    own = [action for action in actions(database) if action != "user.signed_up"]
    assert own == ["token.created", "token.revoked"]
