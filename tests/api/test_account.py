"""A user's own account over REST: tokens, sessions, password, e-mail, data. Other users' accounts are not found."""

import io
import zipfile
from typing import Any
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import select, update

from app.accounts.model import ApiToken, User
from app.accounts.session import SessionOrigin, start_session
from app.accounts.token import MAX_TOKENS, create_token
from app.accounts.user import find_user
from app.audit import AuditEvent
from app.database.engine import Database
from tests.api.conftest import SignedIn

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


def test_a_token_that_has_ended_opens_nothing(known: httpx.Client, database: Database) -> None:
    token = known.post("/tokens", json=ADA | {"expires_in_days": 1}).json()["token"]
    with database.transaction() as session:
        session.execute(update(ApiToken).values(expires_at=ApiToken.created_at))

    assert known.get("/me", headers={"Authorization": f"Bearer {token}"}).status_code == 401


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
def test_bounds_outside_the_rules_are_refused_by_name(
    known: httpx.Client, bounds: dict[str, Any], field: str, said: str
) -> None:
    answer = known.post("/tokens", json=ADA | bounds)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == field
    assert said in answer.json()["detail"]


def test_no_token_makes_another_one(mine: httpx.Client) -> None:
    assert mine.post("/tokens", json={"name": "wider"}).status_code == 422
    assert mine.post("/tokens", json=ADA | {"password": "wrong horse"}).status_code == 401


def test_there_are_only_so_many_tokens(known: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        owner = session.scalars(select(User.id)).one()
        for _ in range(MAX_TOKENS):
            create_token(session, owner, "one of many")

    refused = known.post("/tokens", json=ADA)

    assert (refused.status_code, "Revoke one" in refused.json()["detail"]) == (409, True)


def test_sessions_are_listed_and_ended_one_by_one_and_together(mine: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        ada = find_user(session, "ada")
        assert ada is not None
        for browser in ("Firefox on Linux", "Safari on iOS", "curl/8"):
            start_session(session, ada.id, SessionOrigin(address="192.0.2.7", browser=browser))

    items = mine.get("/sessions").json()["items"]
    assert {item["browser"] for item in items} == {"Firefox on Linux", "Safari on iOS", "curl/8"}
    assert {item["address"] for item in items} == {"192.0.2.7"}
    assert mine.delete(f"/sessions/{items[0]['id']}").status_code == 204
    assert mine.delete(f"/sessions/{items[0]['id']}").status_code == 204
    assert len(mine.get("/sessions").json()["items"]) == 2
    assert mine.delete("/sessions").status_code == 204
    assert mine.get("/sessions").json() == {"items": [], "next": None}


def test_a_token_that_is_revoked_again_is_revoked(mine: httpx.Client, database: Database) -> None:
    other = mine.post("/tokens", json=ADA).json()["id"]

    assert [mine.delete(f"/tokens/{other}").status_code for _ in range(2)] == [204, 204]
    assert len(mine.get("/tokens").json()["items"]) == 1
    assert actions(database).count("token.revoked") == 1


def test_the_token_of_another_user_is_not_found(mine: httpx.Client, signed_in: SignedIn) -> None:
    eve = signed_in("eve", role="admin")
    (token,) = mine.get("/tokens").json()["items"]

    assert eve.delete(f"/tokens/{token['id']}").status_code == 404
    assert mine.get("/me").status_code == 200


def test_the_session_of_another_user_goes_on(mine: httpx.Client, signed_in: SignedIn, database: Database) -> None:
    with database.transaction() as session:
        start_session(session, session.scalars(select(User.id)).one())
    (own,) = mine.get("/sessions").json()["items"]

    # The answer is the same as for one that never existed.
    eve = signed_in("eve")
    assert [eve.delete(f"/sessions/{key}").status_code for key in (own["id"], UUID(int=0))] == [204, 204]
    assert len(mine.get("/sessions").json()["items"]) == 1


def test_another_password_needs_the_one_of_now_and_ends_all_sessions(mine: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        start_session(session, session.scalars(select(User.id)).one())

    wrong = mine.put("/me/password", json={"current": "wrong horse", "new": "battery staple"})
    short = mine.put("/me/password", json={"current": "correct horse", "new": "short"})
    right = mine.put("/me/password", json={"current": "correct horse", "new": "battery staple"})

    assert [answer.status_code for answer in (wrong, short, right)] == [403, 422, 204]
    assert short.json()["errors"][0]["field"] == "new"
    assert mine.get("/sessions").json()["items"] == []
    assert mine.post("/tokens", json=ADA).status_code == 401
    assert mine.post("/tokens", json=ADA | {"password": "battery staple"}).status_code == 201


def test_guessing_the_password_with_a_stolen_token_is_stopped(mine: httpx.Client) -> None:
    answers = [mine.put("/me/password", json={"current": f"guess {n}", "new": "battery staple"}) for n in range(11)]

    assert [answer.status_code for answer in answers] == [403] * 10 + [429]


def test_another_address_needs_the_password_and_leaderboards_do_not(mine: httpx.Client) -> None:
    address = {"email": "ada@example.org"}

    assert mine.patch("/me", json=address).status_code == 403
    assert mine.patch("/me", json=address | {"password": "correct horse"}).json()["email"] == "ada@example.org"
    assert mine.patch("/me", json={"is_ranked": True}).json()["is_ranked"] is True
    assert mine.patch("/me", json={}).json()["is_ranked"] is True
    assert mine.patch("/me", json={"email": None, "password": "correct horse"}).json()["email"] is None
    assert mine.patch("/me", json={"email": "nowhere", "password": "correct horse"}).status_code == 422


def test_ones_own_data_come_in_one_file(mine: httpx.Client) -> None:
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


def test_the_last_admin_does_not_erase_themselves(mine: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().role = "admin"

    assert mine.request("DELETE", "/me", json={"password": "correct horse"}).status_code == 409


def test_without_a_password_there_is_advice(ada: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = None

    refused = ada.put("/me/password", json={"current": "", "new": "battery staple"})

    assert (refused.status_code, "/account" in refused.json()["detail"]) == (403, True)


def test_what_matters_to_safety_is_written_down(mine: httpx.Client, database: Database) -> None:
    mine.patch("/me", json={"email": "ada@example.org", "password": "correct horse"})
    mine.put("/me/password", json={"current": "correct horse", "new": "battery staple"})
    mine.delete("/sessions")
    mine.get("/me/export")
    (token,) = mine.get("/tokens").json()["items"]
    mine.delete(f"/tokens/{token['id']}")

    own = [action for action in actions(database) if action != "user.signed_up"]
    assert own == [
        "token.created",
        "user.email_changed",
        "user.password_changed",
        "user.signed_out",
        "user.exported",
        "token.revoked",
    ]
