"""Accounts that are made by signing in at a provider: their names and addresses, and who gets one."""

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.invitation import Invite, invite
from app.accounts.model import Identity
from app.audit import COMMAND
from app.database.engine import Database
from tests.factories import make_user
from tests.web.single_sign_on.account import read_users, set_mode
from tests.web.single_sign_on.away import Away, sign_in


def test_a_taken_name_gets_a_number_and_never_the_account_of_another_user(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    with database.transaction() as session:
        make_user(session, "ada").email = "ada@example.org"
    provider.says(person={"sub": "2", "preferred_username": "Ada", "email": "ada@example.org", "email_verified": True})

    sign_in(anyone, provider)

    users = read_users(database)
    assert set(users) == {"ada", "ada-2"}
    assert users["ada-2"].email == "ada@example.org"
    with database.transaction() as session:
        assert session.scalars(select(Identity.user_id)).all() == [users["ada-2"].id]


def test_an_address_that_the_provider_has_not_verified_is_not_taken(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    provider.says(person={"sub": "2", "preferred_username": "eve", "email": "ada@example.org", "email_verified": False})

    sign_in(anyone, provider)

    assert read_users(database)["eve"].email is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Łukasz Ångström", "ukasz-angstrom"),
        ("x@example.org", "user"),
        ("<script>alert(1)</script>", "script-alert-1-script"),
        ("a" * 100, "a" * 32),
        ("Erased: 1a2b3c4d", "user"),
        ("", "user"),
    ],
)
def test_any_name_at_the_provider_becomes_a_valid_user_name(
    anyone: TestClient, provider: Away, database: Database, name: str, expected: str
) -> None:
    provider.says(person={"sub": "2", "preferred_username": name})

    assert sign_in(anyone, provider).status_code == 303

    assert list(read_users(database)) == [expected]


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [("invitation", "need an invitation to sign up. Ask an admin"), ("closed", "Signing up is closed")],
)
def test_where_signing_up_is_restricted_only_known_users_get_in(
    anyone: TestClient, provider: Away, database: Database, mode: str, sentence: str
) -> None:
    sign_in(anyone, provider)
    anyone.cookies.clear()
    set_mode(database, mode)

    known = sign_in(anyone, provider)
    anyone.cookies.clear()
    provider.says(person={"sub": "2", "preferred_username": "eve"})
    stranger = sign_in(anyone, provider)

    assert known.status_code == 303
    assert stranger.status_code == 403
    assert sentence in stranger.text
    assert list(read_users(database)) == ["ada"]


def test_an_invitation_carried_through_gives_its_role_once(
    anyone: TestClient, provider: Away, database: Database
) -> None:
    set_mode(database, "invitation")
    with database.transaction() as session:
        secret = invite(session, COMMAND, Invite(role="author")).secret
    path = f"/sign-in/oidc?invitation={secret}"
    assert f"/sign-in/oidc?next=/&amp;invitation={secret}" in anyone.get(f"/invitations/{secret}").text

    first = sign_in(anyone, provider, path)
    anyone.cookies.clear()
    provider.says(person={"sub": "2", "preferred_username": "eve"})
    second = sign_in(anyone, provider, path)

    assert (first.status_code, second.status_code) == (303, 403)
    assert "was already used" in second.text
    assert {name: user.role for name, user in read_users(database).items()} == {"ada": "author"}


def test_sign_ups_by_the_provider_are_counted_by_address(anyone: TestClient, provider: Away) -> None:
    for _ in range(300):
        anyone.app.state.limits.new_accounts.use("testclient")  # type: ignore[attr-defined]

    answer = sign_in(anyone, provider)

    assert answer.status_code == 429
    assert "Try again in" in answer.text
