"""Users over REST. Only admins can access other users, even if someone knows their ID."""

from collections.abc import Callable
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from app.accounts.model import User
from app.audit import AuditEvent
from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.factories import make_user

Ask = Callable[[httpx.Client, str], httpx.Response]

# Everything that names a user.
ASKS: tuple[tuple[str, Ask], ...] = (
    ("see", lambda client, user: client.get(f"/users/{user}")),
    ("promote", lambda client, user: client.patch(f"/users/{user}", json={"role": "admin"})),
    ("suspend", lambda client, user: client.patch(f"/users/{user}", json={"is_active": False})),
    ("readdress", lambda client, user: client.patch(f"/users/{user}", json={"email": "eve@example.org"})),
    ("erase", lambda client, user: client.delete(f"/users/{user}")),
)


def find(database: Database, username: str) -> User:
    with database.transaction() as session:
        return session.scalars(select(User).where(User.username == username)).one()


def test_users_are_found_by_words_role_and_state(admin: httpx.Client, database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "grace", role="author").email = "hopper@navy.example"
    with database.transaction() as session:
        make_user(session, "eve").is_active = False

    def found(**query: str) -> list[str]:
        return [user["username"] for user in admin.get("/users", params=query).json()["items"]]

    assert found() == ["eve", "grace", "root"]
    assert found(q="hop") == found(role="author") == ["grace"]
    assert found(state="suspended") == ["eve"]


def test_a_user_is_changed_in_one_request(admin: httpx.Client, ada: httpx.Client) -> None:
    user = ada.get("/me").json()["id"]

    changed = admin.patch(f"/users/{user}", json={"role": "author", "email": "ada@example.org"})

    assert changed.status_code == 200
    assert (changed.json()["role"], changed.json()["email"], changed.json()["state"]) == (
        "author",
        "ada@example.org",
        "active",
    )
    assert admin.get(f"/users/{user}").json() | {"last_seen_at": None} == changed.json() | {"last_seen_at": None}
    assert ada.get("/me").json()["role"] == "author"


def test_a_change_that_is_wrong_in_part_changes_nothing(admin: httpx.Client, ada: httpx.Client) -> None:
    user = ada.get("/me").json()["id"]

    answers = [
        admin.patch(f"/users/{user}", json={"role": "author", "email": "nowhere"}),
        admin.patch(f"/users/{user}", json={"role": "author", "username": "eve"}),
        admin.patch(f"/users/{user}", json={"role": "emperor"}),
    ]

    assert [answer.status_code for answer in answers] == [422] * 3
    assert ada.get("/me").json()["role"] == "student"


def test_an_erased_user_is_gone_and_stays_so(admin: httpx.Client, ada: httpx.Client) -> None:
    user = ada.get("/me").json()["id"]

    assert admin.delete(f"/users/{user}").status_code == 204
    assert ada.get("/me").status_code == 401
    assert admin.get(f"/users/{user}").json()["state"] == "erased"
    assert admin.patch(f"/users/{user}", json={"is_active": True}).status_code == 409
    assert admin.delete(f"/users/{user}").status_code == 204
    assert admin.delete(f"/users/{UUID(int=0)}").status_code == 404
    events = admin.get("/audit-events?action=user.erased").json()["items"]
    assert [event["target"] for event in events] == [user]


def test_the_audit_log_records_changes_of_users_without_email_addresses(
    admin: httpx.Client, ada: httpx.Client, database: Database
) -> None:
    user = ada.get("/me").json()["id"]
    for _, ask in ASKS:
        ask(admin, user)

    with database.transaction() as session:
        events = session.scalars(select(AuditEvent).order_by(AuditEvent.id)).all()
    assert [event.action for event in events] == [
        "user.role_changed",
        "user.suspended",
        "user.email_changed",
        "user.erased",
    ]
    assert {(event.actor_id, event.channel, event.target) for event in events} == {
        (find(database, "root").id, "api", user)
    }
    assert "eve@example.org" not in str([(event.before, event.after) for event in events])


OWN: tuple[tuple[str, Ask], ...] = (
    ("readdress", lambda client, user: client.patch(f"/users/{user}", json={"email": "eve@example.org"})),
    ("erase", lambda client, user: client.delete(f"/users/{user}")),
)


@pytest.mark.parametrize("ask", [ask for _, ask in OWN], ids=[name for name, _ in OWN])
def test_an_admins_token_can_not_skip_the_password_of_its_own_account(
    admin: httpx.Client, signed_in: SignedIn, ask: Ask
) -> None:
    other = signed_in("other", role="admin")
    own_id = admin.get("/me").json()["id"]

    refused, allowed = ask(admin, own_id), ask(other, own_id)

    assert (refused.status_code, refused.json()["code"]) == (403, "refused")
    assert "Change it on /account" in refused.json()["detail"]
    assert allowed.status_code in (200, 204)
