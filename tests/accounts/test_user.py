import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.password import check_password
from app.accounts.user import SignUp, find_user, sign_up
from app.database.engine import Database
from app.errors import Conflict, Invalid
from tests.factories import make_user

PASSWORD = "correct horse"


def test_signing_up_keeps_an_argon2_hash_and_never_the_password(database: Database) -> None:
    with database.transaction() as session:
        sign_up(session, SignUp(username="ada", password=PASSWORD, email="ada@example.org"))

    with database.transaction() as session:
        user = session.scalars(select(User)).one()
    assert (user.username, user.email, user.role, user.is_active) == ("ada", "ada@example.org", "student", True)
    assert str(user.password_hash).startswith("$argon2id$")
    assert PASSWORD not in str(user.password_hash)


@pytest.mark.parametrize("username", ["", "ab", "a" * 33, "Ada", "ada lovelace", "ada\n", "ada\0", "ädä", "../etc"])
def test_a_user_name_outside_the_rule_is_refused_with_the_rule(database: Database, username: str) -> None:
    with pytest.raises(Invalid, match="3 to 32 characters of a-z, 0-9, _ and -") as caught, database.transaction() as s:
        sign_up(s, SignUp(username=username, password=PASSWORD))

    assert caught.value.field == "username"


@pytest.mark.parametrize("username", ["erased-", "erased-1a2b3c4d", "erased-ada"])
def test_names_of_erased_accounts_can_not_be_taken(database: Database, username: str) -> None:
    wanted = SignUp(username=username, password=PASSWORD)

    with pytest.raises(Invalid, match="that start with 'erased-'") as caught, database.transaction() as s:
        sign_up(s, wanted)

    assert caught.value.field == "username"


@pytest.mark.parametrize(
    ("password", "message"),
    [
        ("short", "has 5 characters. Choose at least 10"),
        ("é" * 513, "has 1026 bytes in UTF-8. Choose at most 1024"),
        ("0123456789\ud800", "lone surrogate"),
        ("aaaaaaaaaa", "Repeats like .* Choose a stronger one"),
        ("password123", "common password"),
        ("allclose2026", "stronger"),
        ("ada.lovelace", "stronger"),
        ("x" * 1000, "Repeats"),
    ],
)
def test_a_password_that_breaks_a_rule_is_refused_with_the_reason(
    database: Database, password: str, message: str
) -> None:
    with pytest.raises(Invalid, match=message) as caught, database.transaction() as session:
        sign_up(session, SignUp(username="ada-lovelace", password=password))

    assert caught.value.field == "password"


def test_a_password_of_the_own_name_is_refused_while_others_sign_up() -> None:
    def choose(number: int) -> bool:
        name = f"zqxjkvbwmp{number % 8}"
        with suppress(Invalid):
            check_password(name, [name])
            return True
        return False

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            taken = list(threads.map(choose, range(160)))
    finally:
        sys.setswitchinterval(interval)

    assert not any(taken)


@pytest.mark.parametrize("email", ["", "ada", "@", "ada@", "a b@c", "a@b@c", "a@b\0", "a@\ud800", "a@" + "b" * 300])
def test_an_email_that_is_no_address_is_refused(database: Database, email: str) -> None:
    with pytest.raises(Invalid) as caught, database.transaction() as session:
        sign_up(session, SignUp(username="ada", password=PASSWORD, email=email))

    assert caught.value.field == "email"


def test_a_taken_user_name_is_a_conflict_and_the_transaction_can_go_on(database: Database) -> None:
    with database.transaction() as session:
        make_user(session, "ada")

    with database.transaction() as session:
        with pytest.raises(Conflict, match="'ada' is taken"):
            sign_up(session, SignUp(username="ada", password=PASSWORD))
        sign_up(session, SignUp(username="grace", password=PASSWORD))

    with database.transaction() as session:
        assert find_user(session, "grace") is not None


def test_finding_a_user_forgives_upper_case_and_survives_any_text(session: Session) -> None:
    make_user(session, "ada")

    assert find_user(session, " Ada ") is not None
    assert find_user(session, "ada\0") is None
    assert find_user(session, "\ud800") is None
