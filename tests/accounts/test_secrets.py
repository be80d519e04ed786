"""Sessions of browsers and tokens of the API: both are secrets of which only a hash is kept."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select

from app.accounts.model import ApiToken, UserSession
from app.accounts.session import LIFETIME, end_session, find_viewer_by_session, start_session
from app.accounts.token import create_token, find_viewer_by_token, list_tokens, revoke_token
from app.accounts.viewer import signed_in
from app.database import Database
from app.errors import Invalid, NotFound
from tests.factories import make_user

STRANGE_SECRETS = ["", "alc_", "alc_unknown", "\0", "\ud800", "x" * 100_000]


def test_a_session_finds_its_user_until_it_ends(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        secret = start_session(session, user.id)

        assert find_viewer_by_session(session, secret) == signed_in(user)
        assert session.scalars(select(UserSession.token_hash)).one() != secret.encode()

        end_session(session, secret)
        end_session(session, secret)
        assert find_viewer_by_session(session, secret) is None


def test_a_session_expires_and_the_next_sign_in_forgets_it(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        secret = start_session(session, user.id)
        row = session.scalars(select(UserSession)).one()
        assert timedelta() < datetime.now(UTC) + LIFETIME - row.expires_at < timedelta(minutes=1)
        row.expires_at = datetime.now(UTC) - timedelta(seconds=1)

    with database.transaction() as session:
        assert find_viewer_by_session(session, secret) is None
        start_session(session, user.id)
        assert len(session.scalars(select(UserSession)).all()) == 1


def test_a_token_finds_its_user_until_it_is_revoked(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        new = create_token(session, user.id, "laptop")

        assert new.secret.startswith("alc_")
        assert len(new.secret) == len("alc_") + 43  # 256 bits in base64
        assert find_viewer_by_token(session, new.secret) == signed_in(user)

        revoke_token(session, user.id, new.token.id)
        assert find_viewer_by_token(session, new.secret) is None
        assert list_tokens(session, user.id) == []


@pytest.mark.parametrize("secret", STRANGE_SECRETS)
def test_a_secret_that_was_never_given_finds_nobody(database: Database, secret: str) -> None:
    with database.transaction() as session:
        create_token(session, make_user(session).id, "laptop")

        assert find_viewer_by_token(session, secret) is None
        assert find_viewer_by_session(session, secret) is None


def test_a_deactivated_user_is_found_by_neither(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        cookie, token = start_session(session, user.id), create_token(session, user.id, "laptop").secret
        user.is_active = False

    with database.transaction() as session:
        assert find_viewer_by_session(session, cookie) is None
        assert find_viewer_by_token(session, token) is None


def test_a_token_is_revoked_by_its_owner_only(database: Database) -> None:
    with database.transaction() as session:
        owner, other = make_user(session), make_user(session)
        new = create_token(session, owner.id, "laptop")

        with pytest.raises(NotFound):
            revoke_token(session, other.id, new.token.id)
        assert [token.name for token in list_tokens(session, owner.id)] == ["laptop"]


def test_the_use_of_a_token_is_noted(database: Database) -> None:
    with database.transaction() as session:
        new = create_token(session, make_user(session).id, "laptop")

    with database.transaction() as session:
        find_viewer_by_token(session, new.secret)
        assert session.scalars(select(ApiToken.last_used_at)).one() is not None


@pytest.mark.parametrize("name", ["x" * 101, "lap\0top", "lap\ud800top"])
def test_a_token_name_that_can_not_be_kept_is_refused(database: Database, name: str) -> None:
    with pytest.raises(Invalid, match="at most 100 characters without NUL"), database.transaction() as session:
        create_token(session, make_user(session).id, name)
