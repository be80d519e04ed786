"""Creating a token and erasing an account need the owner's password."""

import pytest
from sqlalchemy import select

from app.accounts.model import ApiToken, User
from app.accounts.own_account import make_own_token
from app.accounts.reauthentication import Reauthentication, ReauthenticationFailed
from app.accounts.user import SignUp, sign_up
from app.admin.erasure import erase_self
from app.audit import Actor
from app.database.engine import Database
from app.limits import Limits, RateLimitReached

PASSWORD = "correct horse"


@pytest.fixture
def ada(database: Database) -> Actor:
    with database.transaction() as session:
        user = sign_up(session, SignUp(username="ada", password=PASSWORD))
        return Actor(user_id=user.id, channel="page", address="192.0.2.1")


def reauthenticate(password: str, limits: Limits) -> Reauthentication:
    return Reauthentication(password=password, limit=limits.reauthentications)


def test_without_it_neither_is_done_and_guesses_at_both_are_counted_together(database: Database, ada: Actor) -> None:
    limits = Limits()
    for _ in range(5):
        with pytest.raises(ReauthenticationFailed), database.transaction() as session:
            make_own_token(session, ada, reauthenticate("wrong horse", limits), "laptop")
        with pytest.raises(ReauthenticationFailed), database.transaction() as session:
            erase_self(session, ada, reauthenticate("wrong horse", limits))

    with pytest.raises(RateLimitReached), database.transaction() as session:
        erase_self(session, ada, reauthenticate(PASSWORD, limits))
    with database.transaction() as session:
        assert session.scalars(select(ApiToken)).all() == []
        assert session.scalars(select(User.erased_at)).one() is None
