"""The difference between two submissions."""

import pytest
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.catalog.diff import compare_file
from app.database.engine import Database
from app.errors import Invalid, NotFound
from app.submissions.query import compare_submissions
from tests.factories import make_problem, make_submission, make_user


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x" * 200_000, "y" * 200_000),
        ("\n".join("ab"[i % 2] for i in range(1400)), "\n".join("ba"[i % 3 == 0] for i in range(1400))),
        ("\n".join("a b " * 90 for _ in range(1400)), "\n".join("b a " * 90 for _ in range(1400))),
        ("a\n" * 120_000, "b\n" * 120_000),
        ("\x1b[31m\u202e<script>\r\x85\u2028", "\x0c\x1c<b>\ud7ff"),
    ],
    ids=["one long line", "few lines many times", "long lines", "many lines", "controls"],
)
def test_hostile_sources_are_compared_or_given_up(old: str, new: str) -> None:
    found = compare_file("solution.py", old, new)

    assert found.lines or not found.is_whole


def test_a_missing_newline_at_the_end_is_no_change(session: Session) -> None:
    user, revision = make_user(session), make_problem(session)
    one, other = make_submission(session, user, revision), make_submission(session, user, revision)
    one.source, other.source = "a = 1", "a = 1\n"

    assert compare_submissions(session, signed_in(user), other.id, one.id).difference.lines == ()


def test_the_one_before_is_meant_where_no_other_is_named(database: Database) -> None:
    with database.transaction() as session:
        user, revision = make_user(session), make_problem(session)
        first = make_submission(session, user, revision)
        make_submission(session, user)
        make_submission(session, revision=revision)
    with database.transaction() as session:
        second = make_submission(session, user, revision)

        assert compare_submissions(session, signed_in(user), second.id).old == session.merge(first)
        assert compare_submissions(session, signed_in(user), first.id).old is None


def test_a_user_can_not_compare_submissions_of_other_users(session: Session) -> None:
    user, revision = make_user(session), make_problem(session)
    mine, others = make_submission(session, user, revision), make_submission(session, revision=revision)

    with pytest.raises(NotFound):
        compare_submissions(session, signed_in(user), mine.id, others.id)
    with pytest.raises(NotFound):
        compare_submissions(session, signed_in(user), others.id, mine.id)


def test_two_problems_are_not_compared(session: Session) -> None:
    user = make_user(session)

    with pytest.raises(Invalid, match="two of the same problem"):
        compare_submissions(
            session, signed_in(user), make_submission(session, user).id, make_submission(session, user).id
        )
