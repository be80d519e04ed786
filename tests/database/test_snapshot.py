"""Reading all of one moment: few at a time, and nothing is written."""

from contextlib import ExitStack
from uuid import uuid4

import pytest
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError

from app.accounts.model import User
from app.database import engine as module
from app.database.engine import Database
from app.errors import LimitReached
from tests.factories import make_user


def test_a_snapshot_does_not_see_later_changes(database: Database) -> None:
    with database.snapshot() as session:
        before = session.scalar(select(func.count(User.id)))
        with database.transaction() as other:
            make_user(other)

        assert session.scalar(select(func.count(User.id))) == before


def test_nothing_is_written_in_one_and_the_next_transaction_writes_again(database: Database) -> None:
    with pytest.raises(DBAPIError, match="read-only"), database.snapshot() as session:
        make_user(session)

    with database.transaction() as session:
        make_user(session)
        assert session.scalar(text("SHOW transaction_isolation")) == "read committed"
        assert session.scalar(text("SHOW statement_timeout")) == "0"


def test_the_database_ends_what_stands_still(database: Database) -> None:
    with database.snapshot() as session:
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            assert session.scalar(text(f"SHOW {setting}")) == "10min"


def test_others_keep_their_connections(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SNAPSHOT_WAIT_SECONDS", 0.0)

    with ExitStack() as stack:
        for _ in range(module.SNAPSHOTS):
            stack.enter_context(database.snapshot())
        with pytest.raises(LimitReached, match="in a minute"):
            database.snapshot().__enter__()

    with database.snapshot() as session:
        assert session.scalar(select(func.count(User.id))) is not None


def test_a_user_has_one_snapshot_at_a_time_and_leaves_the_others_to_other_users(database: Database) -> None:
    ada, grace = uuid4(), uuid4()
    with database.snapshot(ada):
        with pytest.raises(LimitReached, match="your last export is still running"):
            database.snapshot(ada).__enter__()
        with database.snapshot(grace) as session:
            assert session.scalar(select(func.count(User.id))) is not None

    with database.snapshot(ada) as session:
        assert session.scalar(select(func.count(User.id))) is not None
