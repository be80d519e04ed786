"""The difference between two submissions."""

import pytest
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.database.engine import Database
from app.errors import Invalid, NotFound
from app.submissions.difference import MAX_PAIRS, Row, Side, compare_sources, compare_submissions
from tests.factories import make_problem, make_submission, make_user


def marked(side: Side | None) -> list[str]:
    return [piece.text for piece in side.pieces if piece.is_changed] if side else []


def text(side: Side | None) -> str | None:
    return "".join(piece.text for piece in side.pieces) if side else None


def sides(row: Row) -> tuple[int | None, int | None]:
    return row.old.number if row.old else None, row.new.number if row.new else None


def test_a_changed_line_stands_beside_its_successor_with_the_words_marked() -> None:
    found = compare_sources("a = 1\nreturn x.sum() * scale\n", "a = 1\nreturn x.mean() * scale\nb = 2\n")

    same, changed, added = found.rows
    assert (same.kind, sides(same)) == ("same", (1, 1))
    assert (text(changed.old), text(changed.new)) == ("return x.sum() * scale", "return x.mean() * scale")
    assert (marked(changed.old), marked(changed.new)) == (["sum"], ["mean"])
    assert (sides(added), text(added.new)) == ((None, 3), "b = 2")
    assert (found.added, found.removed, found.is_whole) == (2, 1, True)


def test_lines_that_share_nothing_are_not_marked_word_by_word() -> None:
    (row,) = compare_sources("import jax\n", "for step in range(9):\n").rows

    assert marked(row.old) == marked(row.new) == []


def test_what_is_far_from_every_change_is_left_out() -> None:
    lines = [f"line_{number} = {number}\n" for number in range(40)]
    found = compare_sources("".join(lines), "".join([*lines[:20], "more = 1\n", *lines[20:]]))

    assert [row.kind for row in found.rows] == ["skipped", *["same"] * 3, "changed", *["same"] * 3]
    assert sides(found.rows[1]) == (18, 18)


def test_the_same_source_twice_has_no_rows() -> None:
    assert compare_sources("a = 1\n", "a = 1\n").rows == ()


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
    found = compare_sources(old, new)

    assert found.rows or not found.is_whole
    assert sum(bool(marked(row.old)) for row in found.rows) <= MAX_PAIRS


def test_lines_of_many_signs_are_not_marked_sign_by_sign() -> None:
    """Two hundred such pairs would keep the server busy for seconds."""
    found = compare_sources("+-" * 40, "+-" * 39 + "--")

    assert not any(marked(row.old) for row in found.rows)


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
