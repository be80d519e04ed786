"""The draft that is kept when a student types several."""

from dataclasses import replace
from uuid import UUID

import pytest
from sqlalchemy.orm import Session

from app.catalog.publish import publish
from app.database.engine import Database
from app.errors import Invalid, NotFound
from app.submissions.draft import Draft, Save, discard_other, find_draft, save_draft
from tests.catalog.packages import make_package
from tests.factories import make_user
from tests.transaction import commit

SLUG = "scaled_sum"


@pytest.fixture
def first(database: Database) -> Save:
    """A user's first draft for a problem, not saved yet."""
    with database.transaction() as session:
        publish(session, make_package())
        user_id = make_user(session, "ada").id
    return Save(user_id=user_id, slug=SLUG, source="first = 1", base=None)


def save(database: Database, wanted: Save) -> UUID:
    return commit(database, save_draft, wanted).version


def kept(session: Session, wanted: Save) -> Draft:
    draft = find_draft(session, wanted.user_id, SLUG)
    assert draft is not None
    return draft


def test_a_draft_that_follows_the_last_one_takes_its_place(database: Database, first: Save) -> None:
    version = save(database, first)
    save(database, replace(first, source="second = 2", base=version))

    with database.transaction() as session:
        draft = kept(session, first)
        assert (draft.source, draft.other_source) == ("second = 2", None)


def test_a_draft_that_was_read_before_is_read_again(database: Database, first: Save) -> None:
    version = save(database, first)
    with database.transaction() as session:
        seen = kept(session, first)
        save(database, replace(first, source="meanwhile = 2", base=version))

        draft = save_draft(session, replace(first, source="second = 2", base=version))

        assert draft is seen
        assert (draft.source, draft.other_source) == ("second = 2", "meanwhile = 2")


def test_a_draft_that_has_not_seen_the_last_one_leaves_it_beside(database: Database, first: Save) -> None:
    version = save(database, first)
    save(database, replace(first, source="on the phone", base=version))
    save(database, replace(first, source="on the laptop", base=version))

    with database.transaction() as session:
        draft = kept(session, first)
        assert (draft.source, draft.other_source) == ("on the laptop", "on the phone")
        discard_other(session, first.user_id, SLUG)

    assert commit(database, kept, first).other_source is None


def test_the_same_text_from_two_places_is_no_conflict(database: Database, first: Save) -> None:
    version = save(database, first)

    assert save(database, replace(first, base=None)) == version
    assert commit(database, kept, first).other_source is None


def test_drafts_are_their_writer_s_own(database: Database, first: Save) -> None:
    save(database, first)
    with database.transaction() as session:
        other = make_user(session, "grace").id

        assert find_draft(session, other, SLUG) is None


@pytest.mark.parametrize("source", ["a\0b", "\ud800", "#" * 300 * 1024])
def test_what_can_not_be_kept_is_refused(database: Database, first: Save, source: str) -> None:
    with pytest.raises(Invalid):
        save(database, replace(first, source=source))


def test_a_draft_is_for_a_problem_that_exists(database: Database, first: Save) -> None:
    with pytest.raises(NotFound):
        save(database, replace(first, slug="unknown"))
