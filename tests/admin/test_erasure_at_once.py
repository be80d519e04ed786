"""A user is erased while a request of theirs is running: in either order, nothing of the user is left."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, insert, literal, select

from app.accounts.model import User, UserSession
from app.accounts.session import start_session
from app.admin.erasure import USER_DATA, Belonging, erase
from app.audit import COMMAND
from app.database.engine import Database, OwnerErased
from app.submissions.draft import Draft, Save, save_draft
from tests.admin.user_data import make_rich_user
from tests.factories import make_problem, make_user
from tests.queue.fleet import count_lock_waits, wait_until

REMOVED = [belonging for belonging in USER_DATA if belonging.fate == "removed"]


@pytest.fixture
def thread() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def ada(database: Database) -> UUID:
    with database.transaction() as session:
        make_problem(session, "scaled_sum")
        return make_user(session, "ada").id


def erase_now(database: Database, user_id: UUID) -> None:
    with database.transaction() as session:
        erase(session, COMMAND, user_id)


def draft_now(database: Database, user_id: UUID) -> None:
    with database.transaction() as session:
        save_draft(session, Save(user_id=user_id, slug="scaled_sum", source="ada was here", base=None))


def until_waiting(database: Database, work: Future[Any]) -> None:
    """Wait until the other connection waits for this one's lock, or has gone ahead."""
    wait_until(lambda: work.done() or count_lock_waits(database))


def test_a_row_that_was_being_written_when_the_erasure_began_is_erased_too(
    database: Database, ada: UUID, thread: ThreadPoolExecutor
) -> None:
    with database.transaction() as session:
        start_session(session, ada)
        erasure = thread.submit(erase_now, database, ada)
        until_waiting(database, erasure)
    erasure.result()

    with database.transaction() as session:
        assert session.get_one(User, ada).erased_at is not None
        assert session.scalars(select(UserSession)).all() == []


def test_a_write_that_begins_during_the_erasure_is_refused(
    database: Database, ada: UUID, thread: ThreadPoolExecutor
) -> None:
    with database.transaction() as session:
        erase(session, COMMAND, ada)
        saving = thread.submit(draft_now, database, ada)
        until_waiting(database, saving)

    with pytest.raises(OwnerErased, match="so nothing was saved"):
        saving.result()
    with database.transaction() as session:
        assert session.scalars(select(Draft)).all() == []


@pytest.mark.parametrize("belonging", REMOVED, ids=lambda belonging: str(belonging.name))
def test_no_emptied_table_takes_a_row_of_an_erased_user(database: Database, ada: UUID, belonging: Belonging) -> None:
    with database.transaction() as session:
        other = make_rich_user(session, "grace").id
    erase_now(database, ada)
    table, owner = belonging.column.class_.__table__, belonging.column.key
    own = [literal(ada) if column.key == owner else column for column in table.columns]

    with pytest.raises(OwnerErased), database.transaction() as session:
        session.execute(insert(table).from_select([*table.columns.keys()], select(*own).where(table.c[owner] == other)))

    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(belonging.column == other)) == 1
