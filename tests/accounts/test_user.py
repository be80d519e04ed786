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
from tests.transaction import commit, fetch_one

PASSWORD = "correct horse"


def test_signing_up_keeps_an_argon2_hash_and_never_the_password(database: Database) -> None:
    commit(database, sign_up, SignUp(username="ada", password=PASSWORD, email="ada@example.org"))

    user = fetch_one(database, select(User))
    assert (user.username, user.email, user.role, user.is_active) == ("ada", "ada@example.org", "student", True)
    assert str(user.password_hash).startswith("$argon2id$")
    assert PASSWORD not in str(user.password_hash)


NAME_RULE, ERASED = "3 to 32 characters of a-z, 0-9, _ and -", "that start with 'erased-'"


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        *(("username", name, NAME_RULE) for name in ("", "ab", "a" * 33, "Ada", "ada lovelace", "ada\n", "ada\0")),
        *(("username", name, NAME_RULE) for name in ("ädä", "../etc")),
        *(("username", name, ERASED) for name in ("erased-", "erased-1a2b3c4d", "erased-ada")),
        ("password", "short", "has 5 characters. Choose at least 10"),
        ("password", "é" * 513, "has 1026 bytes in UTF-8. Choose at most 1024"),
        ("password", "0123456789\ud800", "lone surrogate"),
        ("password", "aaaaaaaaaa", "Repeats like .* Choose a stronger one"),
        ("password", "password123", "common password"),
        ("password", "allclose2026", "stronger"),
        ("password", "ada.lovelace", "stronger"),
        ("password", "x" * 1000, "Repeats"),
        *(("email", address, "address") for address in ("", "ada", "@", "ada@", "a b@c", "a@b@c", "a@b\0", "a@\ud800")),
        ("email", "a@" + "b" * 300, "has 302 characters; the limit is 254"),
    ],
)
def test_a_value_that_breaks_a_rule_is_refused_by_its_field_with_the_rule(
    session: Session, field: str, value: str, message: str
) -> None:
    wanted = {"username": "ada-lovelace", "password": PASSWORD, field: value}

    with pytest.raises(Invalid, match=message) as caught:
        sign_up(session, SignUp(**wanted))

    assert caught.value.field == field


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


def test_a_taken_user_name_is_a_conflict_and_the_transaction_can_go_on(database: Database) -> None:
    commit(database, make_user, "ada")

    with database.transaction() as session:
        with pytest.raises(Conflict, match="'ada' is taken"):
            sign_up(session, SignUp(username="ada", password=PASSWORD))
        sign_up(session, SignUp(username="grace", password=PASSWORD))

    assert commit(database, find_user, "grace") is not None


def test_finding_a_user_forgives_upper_case_and_survives_any_text(session: Session) -> None:
    make_user(session, "ada")

    assert find_user(session, " Ada ") is not None
    assert find_user(session, "ada\0") is None
    assert find_user(session, "\ud800") is None
