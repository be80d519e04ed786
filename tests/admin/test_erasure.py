"""Erasing a user: nothing is left but shared rows, even if the user writes at the same time."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func, insert, literal, select, update

from app.accounts.model import Invitation, User, UserSession
from app.accounts.permission import signed_in
from app.accounts.session import start_session
from app.admin.erasure import USER_DATA, Belonging, erase
from app.audit import COMMAND, AuditEvent
from app.database.cursor import Slice
from app.database.engine import Base, Database, OwnerErased
from app.errors import NotFound
from app.learning.discussion import Post, get_discussion
from app.learning.model import QuizAnswer
from app.submissions.draft import Draft, Save, save_draft
from app.submissions.leaderboard import Measurement
from app.submissions.model import CaseRow, Judging
from tests.admin.user_data import make_rich_user
from tests.factories import make_problem, make_user
from tests.queue.fleet import count_lock_waits, wait_until
from tests.transaction import commit, fetch_all, fetch_one

SECURITY = Path(__file__).parents[2] / "docs" / "security.md"
BENEATH = (Judging.id, CaseRow.judging_id, Measurement.judging_id, QuizAnswer.attempt_id)


def referring_columns() -> set[str]:
    return {
        f"{table.name}.{key.parent.name}"
        for table in Base.metadata.tables.values()
        for key in table.foreign_keys
        if key.column.table.name == User.__tablename__
    }


def test_of_every_column_that_names_a_user_it_is_said_what_becomes_of_it() -> None:
    assert sorted(belonging.name for belonging in USER_DATA) == sorted(referring_columns())


def test_the_page_about_security_says_the_same() -> None:
    rows = [line.split("|")[1:4] for line in SECURITY.read_text().splitlines() if line.startswith("| `")]
    said = {tuple(part.strip().strip("`") for part in row) for row in rows}

    assert {(belonging.name, belonging.fate, belonging.what) for belonging in USER_DATA} <= said


def test_nothing_of_an_erased_user_is_left_but_shared_rows_stay(database: Database) -> None:
    with database.transaction() as session:
        user, other = make_rich_user(session), make_rich_user(session, "grace")

    commit(database, erase, COMMAND, user.id)

    with database.transaction() as session:
        for belonging in USER_DATA:
            left = session.scalar(select(func.count()).where(belonging.column == user.id))
            assert bool(left) is (belonging.fate == "kept"), belonging.name
            assert session.scalar(select(func.count()).where(belonging.column == other.id)), belonging.name
        for column in BENEATH:
            assert session.scalar(select(func.count(column))) == 1, column


def test_a_question_stays_for_its_answers_without_its_text_and_its_name(database: Database) -> None:
    with database.transaction() as session:
        user, other = make_rich_user(session), make_rich_user(session, "grace")
        question = session.scalars(select(Post).where(Post.user_id == user.id)).one()
        question.html = question.html_without_code = "<p>a question</p>"
        own = {"question_id": question.id, "problem_id": question.problem_id}
        session.add_all(Post(**own, user_id=writer.id, body=f"from {writer.username}") for writer in (user, other))

    commit(database, erase, COMMAND, user.id)

    with database.transaction() as session:
        thread = get_discussion(session, signed_in(session.get_one(User, other.id)), question.id, Slice())
        stored = session.execute(select(Post.html, Post.html_without_code).where(Post.id == question.id)).one()
    assert tuple(stored) == ("", None)
    assert (thread.question.title, thread.question.body, thread.question.username) == ("", "", None)
    assert {(post.username, post.body) for post in thread.answers} == {("grace", "from grace")}


def test_an_edit_does_not_bring_back_the_text_of_an_erased_user(database: Database) -> None:
    with database.transaction() as session:
        user = make_rich_user(session)
        erase(session, COMMAND, user.id)

    with pytest.raises(OwnerErased), database.transaction() as session:
        session.execute(update(Post).where(Post.user_id == user.id).values(body="back again"))


def test_the_row_that_stays_is_anonymous_and_can_not_sign_in(database: Database) -> None:
    user = commit(database, make_rich_user)

    name = commit(database, erase, COMMAND, user.id)

    with database.transaction() as session:
        row = session.get_one(User, user.id)
        assert name == row.username
        assert name.startswith("erased-")
        assert (row.email, row.password_hash, row.is_active, row.is_ranked, row.role) == (None,) * 2 + (
            False,
            False,
            "student",
        )
        assert row.erased_at is not None
        invitations = session.scalars(select(Invitation)).all()
        assert [(invitation.email, invitation.note) for invitation in invitations] == [(None, "")] * 2


def test_it_is_written_down_without_a_name(database: Database) -> None:
    with database.transaction() as session:
        user = make_rich_user(session)
        erase(session, COMMAND, user.id)

    event = fetch_one(database, select(AuditEvent).order_by(AuditEvent.id.desc()).limit(1))
    assert (event.action, event.target) == ("user.erased", str(user.id))
    assert (event.before, event.after) == (None, None)


def test_erasing_twice_changes_nothing_and_an_unknown_user_is_not_found(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        left = erase(session, COMMAND, user.id)

    with database.transaction() as session:
        assert erase(session, COMMAND, user.id) == left
        assert len(session.scalars(select(AuditEvent)).all()) == 1
    with pytest.raises(NotFound), database.transaction() as session:
        erase(session, COMMAND, uuid4())


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
    commit(database, erase, COMMAND, user_id)


def draft_now(database: Database, user_id: UUID) -> None:
    commit(database, save_draft, Save(user_id=user_id, slug="scaled_sum", source="ada was here", base=None))


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
    assert fetch_all(database, select(Draft)) == []


@pytest.mark.parametrize("belonging", REMOVED, ids=lambda belonging: str(belonging.name))
def test_no_emptied_table_takes_a_row_of_an_erased_user(database: Database, ada: UUID, belonging: Belonging) -> None:
    other = commit(database, make_rich_user, "grace").id
    erase_now(database, ada)
    table, owner = belonging.column.class_.__table__, belonging.column.key
    own = [literal(ada) if column.key == owner else column for column in table.columns]

    with pytest.raises(OwnerErased), database.transaction() as session:
        session.execute(insert(table).from_select([*table.columns.keys()], select(*own).where(table.c[owner] == other)))

    with database.transaction() as session:
        assert session.scalar(select(func.count()).where(belonging.column == other)) == 1
