"""Sessions of browsers and tokens of the API: both are secrets of which only a hash is kept."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.model import ApiToken, UserSession
from app.accounts.permission import signed_in
from app.accounts.session import (
    LIFETIME,
    MAX_SESSIONS,
    SessionOrigin,
    end_session,
    end_sessions,
    find_viewer_by_session,
    list_sessions,
    start_session,
)
from app.accounts.token import (
    Bounds,
    create_token,
    find_viewer_by_token,
    list_tokens,
    revoke_token,
    revoke_tokens,
)
from app.database.engine import Database
from app.errors import Invalid, NotFound
from tests.factories import make_user
from tests.transaction import commit

STRANGE_SECRETS = ["", "alc_", "alc_unknown", "\0", "\ud800", "x" * 100_000]
NEVER_GIVEN = ["x" * 43, "alc_" + "x" * 43]


def test_a_session_finds_its_user_until_it_ends(session: Session) -> None:
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


def test_a_token_finds_its_user_until_it_is_revoked(session: Session) -> None:
    user = make_user(session)
    new = create_token(session, user.id, "laptop")

    assert new.secret.startswith("alc_")
    assert len(new.secret) == len("alc_") + 43  # 256 bits in base64
    assert find_viewer_by_token(session, new.secret) == signed_in(user)

    revoke_token(session, user.id, new.token.id)
    assert find_viewer_by_token(session, new.secret) is None
    assert list_tokens(session, user.id) == []


def test_a_token_expires(database: Database) -> None:
    with database.transaction() as session:
        new = create_token(session, make_user(session).id, "laptop", Bounds(expires_in_days=1))
        assert find_viewer_by_token(session, new.secret) is not None
        new.token.expires_at = datetime.now(UTC) - timedelta(seconds=1)

    assert commit(database, find_viewer_by_token, new.secret) is None


@pytest.mark.parametrize("secret", [*STRANGE_SECRETS, *NEVER_GIVEN])
def test_a_made_up_secret_finds_no_user(session: Session, secret: str) -> None:
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


def test_a_token_is_revoked_by_its_owner_only(session: Session) -> None:
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
    with pytest.raises(Invalid, match="at most 100 characters, without NUL"), database.transaction() as session:
        create_token(session, make_user(session).id, name)


def test_a_session_is_known_by_where_it_began_and_when_it_was_seen(database: Database) -> None:
    origin = SessionOrigin(address="192.0.2.7", browser="Firefox on Linux")
    with database.transaction() as session:
        user = make_user(session)
        secret = start_session(session, user.id, origin)
        assert list_sessions(session, user.id)[0].last_seen_at is None
        find_viewer_by_session(session, secret)

    with database.transaction() as session:
        (row,) = list_sessions(session, user.id)
        seen_at = row.last_seen_at
        assert (row.address, row.browser) == ("192.0.2.7", "Firefox on Linux")
        assert seen_at is not None
        find_viewer_by_session(session, secret)
    assert commit(database, list_sessions, user.id)[0].last_seen_at == seen_at  # to the minute


def test_of_too_many_sessions_the_one_not_seen_for_longest_ends(database: Database) -> None:
    with database.transaction() as session:
        user, other = make_user(session), make_user(session)
        start_session(session, other.id)
    secrets = []
    for _ in range(MAX_SESSIONS + 1):
        secrets.append(commit(database, start_session, user.id))

    with database.transaction() as session:
        assert find_viewer_by_session(session, secrets[0]) is None
        assert find_viewer_by_session(session, secrets[-1]) is not None
        assert len(list_sessions(session, user.id)) == MAX_SESSIONS
        assert len(list_sessions(session, other.id)) == 1


def test_all_sessions_but_one_are_ended(session: Session) -> None:
    user, other = make_user(session), make_user(session)
    secrets = [start_session(session, user.id) for _ in range(3)]
    start_session(session, other.id)

    assert end_sessions(session, user.id, keep=secrets[1]) == 2
    assert find_viewer_by_session(session, secrets[1]) is not None
    assert end_sessions(session, user.id) == 1
    assert len(list_sessions(session, other.id)) == 1


def test_a_token_has_those_of_its_scopes_that_its_owner_has_still(session: Session) -> None:
    user = make_user(session, role="admin")
    bounds = Bounds(scopes=["users:read", "account:read"], expires_in_days=7)
    secret = create_token(session, user.id, "laptop", bounds).secret

    found = find_viewer_by_token(session, secret)
    assert found is not None
    assert found.permissions == {"users:read", "account:read"}
    user.role = "student"
    session.flush()
    found = find_viewer_by_token(session, secret)
    assert found is not None
    assert found.permissions == {"account:read"}


def test_all_tokens_of_one_user_are_revoked(session: Session) -> None:
    user, other = make_user(session), make_user(session)
    for owner in (user, user, other):
        create_token(session, owner.id, "laptop")

    assert revoke_tokens(session, user.id) == 2
    assert (list_tokens(session, user.id), len(list_tokens(session, other.id))) == ([], 1)
