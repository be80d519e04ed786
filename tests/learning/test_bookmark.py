"""Bookmarks of problems."""

from sqlalchemy.orm import Session

from app.learning.bookmark import add_bookmark, find_bookmarked_at, remove_bookmark
from tests.factories import make_user
from tests.learning.lessons import publish_lesson


def test_a_bookmark_belongs_to_its_user_until_it_is_removed(session: Session) -> None:
    problem_id = publish_lesson(session).problem_id
    ada, grace = make_user(session, "ada"), make_user(session, "grace")

    assert add_bookmark(session, ada.id, "scaled_sum") == add_bookmark(session, ada.id, "scaled_sum")
    assert find_bookmarked_at(session, grace.id, problem_id) is None
    remove_bookmark(session, grace.id, "scaled_sum")
    assert find_bookmarked_at(session, ada.id, problem_id) is not None
    remove_bookmark(session, ada.id, "scaled_sum")
    assert find_bookmarked_at(session, ada.id, problem_id) is None
