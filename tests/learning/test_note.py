"""Private notes: saved without overwriting what another window has saved."""

from uuid import UUID, uuid4

import pytest

from app.accounts.model import User
from app.database.engine import Database
from app.errors import Invalid, ProblemNotFound
from app.learning.note import MAX_CHARACTERS, NoteChanged, SaveNote, find_note, save_note
from tests.factories import make_user
from tests.learning.lessons import publish_lesson

SLUG = "scaled_sum"


@pytest.fixture
def ada(database: Database) -> User:
    with database.transaction() as session:
        publish_lesson(session)
        return make_user(session, "ada")


def save(database: Database, user: User, text: str, base: UUID | None = None) -> UUID | None:
    with database.transaction() as session:
        note = save_note(session, SaveNote(user_id=user.id, slug=SLUG, text=text, base=base))
        return note.version if note else None


def read(database: Database, user: User) -> str | None:
    with database.transaction() as session:
        note = find_note(session, user.id, SLUG)
        return note.text if note else None


def test_a_note_is_its_writer_s_own(database: Database, ada: User) -> None:
    with database.transaction() as session:
        grace = make_user(session, "grace")

    save(database, ada, "first\r\nsecond")

    assert read(database, ada) == "first\nsecond"
    assert read(database, grace) is None


def test_an_emptied_note_is_removed(database: Database, ada: User) -> None:
    version = save(database, ada, "a thought")

    assert save(database, ada, "", version) is None
    assert read(database, ada) is None
    assert save(database, ada, "") is None


@pytest.mark.parametrize("text", ["of the other window", ""])
def test_a_window_that_saw_an_older_version_overwrites_nothing(database: Database, ada: User, text: str) -> None:
    old = save(database, ada, "old")
    new = save(database, ada, "new", old)

    for base in (old, None, uuid4()):
        with pytest.raises(NoteChanged) as raised:
            save(database, ada, text, base)
        assert (raised.value.text, raised.value.version) == ("new", new)

    assert read(database, ada) == "new"


def test_the_same_text_from_two_windows_is_no_conflict(database: Database, ada: User) -> None:
    version = save(database, ada, "the same")

    assert save(database, ada, "the same") == version


def test_a_text_typed_after_the_note_was_removed_elsewhere_is_kept(database: Database, ada: User) -> None:
    version = save(database, ada, "a thought")
    save(database, ada, "", version)

    save(database, ada, "a longer thought", version)

    assert read(database, ada) == "a longer thought"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x" * (MAX_CHARACTERS + 1), "10,001 characters; the limit is 10,000"),
        ("a\0b", "can't be stored"),
        ("\ud800", "can't be stored"),
    ],
)
def test_a_text_that_can_not_be_stored_is_refused_with_the_reason(
    database: Database, ada: User, text: str, why: str
) -> None:
    with pytest.raises(Invalid, match=why):
        save(database, ada, text)


def test_a_note_needs_a_problem(database: Database, ada: User) -> None:
    with database.transaction() as session, pytest.raises(ProblemNotFound):
        save_note(session, SaveNote(user_id=ada.id, slug="none", text="x", base=None))
