"""Finding users, as admins search for them."""

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import Identity
from app.accounts.session import find_viewer_by_session, start_session
from app.accounts.token import create_token
from app.admin.erasure import erase
from app.admin.user_change import suspend
from app.admin.user_list import UserFilters, get_account, list_users
from app.audit import COMMAND
from app.database.engine import Database
from app.errors import NotFound
from tests.factories import make_submission, make_user
from tests.transaction import commit


def names(database: Database, wanted: UserFilters) -> list[str]:
    return sorted(person.username for person in commit(database, list_users, wanted).items)


@pytest.fixture
def people(database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "ada-lovelace").email = "Countess.Ada@Example.org"
        make_user(session, "grace", role="author").email = "hopper@navy.example"
        make_user(session, "ada_2", role="admin")
        suspend(session, COMMAND, make_user(session, "mallory").id)


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("ada", ["ada-lovelace", "ada_2"]),
        ("LOVE", ["ada-lovelace"]),
        ("countess", ["ada-lovelace"]),
        ("ada example", ["ada-lovelace"]),
        ("hopper@navy.example", ["grace"]),
        ("ada_2", ["ada_2"]),
        ("velace", []),
        ("' & ada | !:*", ["ada-lovelace", "ada_2"]),
        ("@", []),
        ("  ", ["ada-lovelace", "ada_2", "grace", "mallory"]),
        ("\0 \ud800", []),
    ],
)
def test_words_find_those_whose_name_or_address_has_words_that_begin_so(
    database: Database, q: str, found: list[str]
) -> None:
    assert names(database, UserFilters(q=q)) == found


@pytest.mark.parametrize("q", ["-_-", " -_- ", "-_-\n"])
def test_a_name_of_signs_only_is_found_by_the_whole_of_it(database: Database, q: str) -> None:
    with database.transaction() as session:
        make_user(session, "-_-")
        make_user(session, "-__")

    assert names(database, UserFilters(q=q)) == ["-_-"]


@pytest.mark.usefixtures("people")
def test_role_and_state_choose(database: Database) -> None:
    with database.transaction() as session:
        erased = erase(session, COMMAND, make_user(session, "eve").id)

    assert names(database, UserFilters(role="author")) == ["grace"]
    assert names(database, UserFilters(state="suspended")) == ["mallory"]
    assert names(database, UserFilters(state="erased")) == [erased]
    assert names(database, UserFilters(state="active", q="ada", role="admin")) == ["ada_2"]


def test_one_user_is_told_with_how_they_sign_in_and_what_they_sent(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session, "ada")
        user.password_hash = None
        secret = start_session(session, user.id)
        create_token(session, user.id, "laptop")
        session.add(Identity(issuer="https://id.example.org", subject="1", user_id=user.id))
        make_submission(session, user)
        make_submission(session)
        find_viewer_by_session(session, secret)

    account = commit(database, get_account, user.id)

    assert (account.username, account.state, account.submissions) == ("ada", "active", 1)
    assert (account.has_password, account.providers, account.sessions, account.tokens) == (
        False,
        ("https://id.example.org",),
        1,
        1,
    )
    assert account.last_seen_at is not None


def test_a_user_who_is_not_there_is_not_found(session: Session) -> None:
    user = make_user(session)
    session.delete(user)
    session.flush()

    with pytest.raises(NotFound, match="There is no user"):
        get_account(session, user.id)
