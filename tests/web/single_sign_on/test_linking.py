"""Linking an identity at a provider to an account, and unlinking it."""

from fastapi.testclient import TestClient
from sqlalchemy import select

from app.accounts.model import Identity, User
from app.accounts.session import start_session
from app.audit import AuditEvent
from app.database.engine import Database
from app.web.visit import COOKIE
from tests.factories import make_user
from tests.transaction import fetch_all
from tests.web.single_sign_on.account import read_users
from tests.web.single_sign_on.away import Away, begin_link, sign_in


def test_an_account_is_linked_and_then_found_by_the_identity(
    ada: TestClient, provider: Away, database: Database
) -> None:
    provider.says(person={"sub": "7", "preferred_username": "countess"})

    linked = ada.get(provider.visit(begin_link(ada)))
    ada.cookies.clear()
    sign_in(ada, provider)

    assert (linked.status_code, linked.headers["location"]) == (303, "/account")
    assert list(read_users(database)) == ["ada"]
    assert 'title="Signed in as ada"' in ada.get("/").text
    with database.transaction() as session:
        event = session.scalars(select(AuditEvent)).one()
        assert (event.action, event.after) == ("identity.linked", {"issuer": provider.issuer})


def test_an_identity_of_another_user_is_not_linked(ada: TestClient, provider: Away, database: Database) -> None:
    with database.transaction() as session:
        other = make_user(session, "grace")
        session.add(Identity(issuer=provider.issuer, subject="1", user_id=other.id))

    answer = ada.get(provider.visit(begin_link(ada)))

    assert answer.status_code == 403
    assert "is linked to another account" in answer.text


def test_linking_can_not_be_completed_after_signing_in_as_another_user(
    ada: TestClient, provider: Away, database: Database
) -> None:
    back = provider.visit(begin_link(ada))
    with database.transaction() as session:
        ada.cookies.set(COOKIE, start_session(session, make_user(session, "eve").id))

    assert ada.get(back).status_code == 403
    assert fetch_all(database, select(Identity)) == []


def test_the_only_way_to_sign_in_is_not_taken_off(anyone: TestClient, provider: Away, database: Database) -> None:
    sign_in(anyone, provider)

    kept = anyone.post("/account/identities/remove", data={"issuer": provider.issuer})
    with database.transaction() as session:
        session.scalars(select(User)).one().password_hash = "some hash"
    gone = anyone.post("/account/identities/remove", data={"issuer": provider.issuer})

    assert (kept.status_code, gone.status_code) == (403, 303)
    assert fetch_all(database, select(Identity)) == []
