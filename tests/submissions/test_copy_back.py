"""A submission's way back into the editor, and what stood there."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import signed_in
from app.catalog.model import Revision
from app.database.engine import Database
from app.errors import NotFound
from app.submissions.draft import Draft, Save, restore_source, save_draft
from app.submissions.model import Submission
from tests.factories import make_problem, make_submission, make_user
from tests.queue.fleet import count_lock_waits, wait_until

SLUG = "copied"


def sent(session: Session, user: User, revision: Revision, source: str) -> Submission:
    submission = make_submission(session, user, revision)
    submission.source = source
    return submission


def typed(session: Session, user: User, source: str, base: Draft | None = None) -> Draft:
    version = base.version if base else None
    return save_draft(session, Save(user_id=user.id, slug=SLUG, source=source, base=version))


def test_what_was_typed_and_never_sent_is_kept_beside_the_copy(session: Session) -> None:
    user, revision = make_user(session), make_problem(session, SLUG)
    submission = sent(session, user, revision, "first = 1")
    typed(session, user, "typed = 2")

    draft, slug = restore_source(session, signed_in(user), submission.id)

    assert (draft.source, draft.other_source, slug) == ("first = 1", "typed = 2", SLUG)


def test_a_copy_in_place_of_what_was_sent_overtakes_nothing_else(session: Session) -> None:
    user, revision = make_user(session), make_problem(session, SLUG)
    first, second = sent(session, user, revision, "first = 1"), sent(session, user, revision, "second = 2")
    typed(session, user, "typed = 3")
    restore_source(session, signed_in(user), first.id)

    draft, _slug = restore_source(session, signed_in(user), second.id)

    assert (draft.source, draft.other_source) == ("second = 2", "typed = 3")


def test_a_copy_waits_for_what_is_being_saved(database: Database) -> None:
    with database.transaction() as session:
        user = make_user(session)
        submission = sent(session, user, make_problem(session, SLUG), "first = 1")
        before = typed(session, user, "typed = 1")

    def copy() -> str | None:
        with database.transaction() as session:
            return restore_source(session, signed_in(user), submission.id)[0].other_source

    with ThreadPoolExecutor() as pool:
        with database.transaction() as session:
            typed(session, user, "typed = 1", before)  # which holds the user's turn
            copied = pool.submit(copy)
            wait_until(lambda: count_lock_waits(database))
            typed(session, user, "typed = 2", before)
        assert copied.result() == "typed = 2"


def test_an_empty_editor_gets_the_copy(session: Session) -> None:
    user = make_user(session)
    submission = sent(session, user, make_problem(session, SLUG), "first = 1")

    draft, _slug = restore_source(session, signed_in(user), submission.id)

    assert (draft.user_id, draft.source, draft.other_source) == (user.id, "first = 1", None)


def test_a_user_can_not_copy_a_submission_of_another_user(session: Session) -> None:
    submission = make_submission(session)

    with pytest.raises(NotFound):
        restore_source(session, signed_in(make_user(session)), submission.id)
