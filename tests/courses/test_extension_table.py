"""Extensions as a table: the rows' students and sections, what changes, and what is wrong."""

from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.courses.extension import list_extensions
from app.courses.extension_table import ExtensionPlan, apply_extensions, plan_extensions
from app.courses.model import Assignment
from app.errors import Invalid
from tests.courses.seats import Taught, teach
from tests.factories import make_assignment, make_member, make_user

DUE = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture
def taught(session: Session) -> Taught:
    """A course in Berlin with ada (number 1), eve (by address), and a pending member (number 3)."""
    taught = teach(session)
    make_member(session, taught.course, make_user(session, "ada"), number="1", name="Ada Lovelace", section="Mon")
    make_member(session, taught.course, make_user(session, "eve"), email="eve@example.org", section="Mon")
    make_member(session, taught.course, number="3")
    return taught


@pytest.fixture
def homework(session: Session, taught: Taught) -> Assignment:
    return make_assignment(session, taught.course, opens_at=datetime(2026, 10, 1, tzinfo=UTC), due_at=DUE)


def plan(session: Session, taught: Taught, homework: Assignment, text: str) -> ExtensionPlan:
    return plan_extensions(session, taught.seat, homework, text)


def give(session: Session, taught: Taught, homework: Assignment, text: str) -> None:
    apply_extensions(session, taught.actor, taught.seat, homework, plan(session, taught, homework, text))


def test_rows_are_for_students_by_any_key_and_for_sections(
    session: Session, taught: Taught, homework: Assignment
) -> None:
    text = (
        "\ufeffNumber;Username;E-Mail;Section;Due;More attempts;Reason\r\n"
        "1;;;;2026-11-04 23:59;;ill\r\n"
        ";;EVE@example.org;;;2;\r\n"
        ";;;Mon;2026-11-03T18:00;;\r\n"
    )

    give(session, taught, homework, text)

    given = {each.username or each.section: each for each in list_extensions(session, homework)}
    assert given["ada"].due_at == datetime(2026, 11, 4, 22, 59, tzinfo=UTC)
    assert (given["ada"].reason, given["ada"].extra_attempts) == ("ill", 0)
    assert (given["eve"].due_at, given["eve"].extra_attempts) == (None, 2)
    assert given["Mon"].due_at == datetime(2026, 11, 3, 17, tzinfo=UTC)


def test_an_account_is_named_by_its_user_name_and_a_second_time_changes_nothing(
    session: Session, taught: Taught, homework: Assignment
) -> None:
    text = "username,due_at,reason\nada,2026-11-04 23:59,ill\n"
    give(session, taught, homework, text)

    again = plan(session, taught, homework, text)
    other = plan(session, taught, homework, "username,due_at,extra_attempts\nada,,1\n")
    give(session, taught, homework, "username,due_at,extra_attempts\nada,,1\n")

    assert (again.changes, again.unchanged) == ((), 1)
    assert [dict(each.fields) for each in other.changes] == [{"extra_attempts": "1"}]
    (row,) = list_extensions(session, homework)
    assert (row.extra_attempts, row.reason) == (1, "ill")
    assert row.due_at is not None


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("9,,,", "9 is not in this course."),
        ("3,,,", "3 has no account yet."),
        (",,,", "It has no number, e-mail address, user name or section."),
        ("1,eve,,", "belong to different members"),
        ("1,,tomorrow,", "is not a time"),
        ("1,,2026-10-25 02:30,", "happens twice"),
        ("1,,,many", "should be a whole number"),
        ("1,,,2000", "1000"),
    ],
)
def test_a_wrong_row_is_named_by_its_line_and_nothing_is_given(
    session: Session, taught: Taught, homework: Assignment, row: str, words: str
) -> None:
    text = f"number,username,due_at,extra_attempts,other\n,ada,2026-11-04 23:59,,\n{row},x\n"

    (fault,) = plan(session, taught, homework, text).faults
    with pytest.raises(Invalid, match="Nothing was changed"):
        give(session, taught, homework, text)

    assert fault.line == 3
    assert words in fault.message
    assert list_extensions(session, homework) == []


def test_a_person_in_two_lines_is_a_fault(session: Session, taught: Taught, homework: Assignment) -> None:
    found = plan(session, taught, homework, "number,username,extra_attempts\n1,,1\n,ada,2\n")

    assert [(fault.line, fault.message) for fault in found.faults] == [
        (3, "Line 2 is for Ada Lovelace too. Keep one of the two lines.")
    ]


def test_nobody_gives_an_extension_to_themselves(session: Session, taught: Taught, homework: Assignment) -> None:
    name = session.get_one(User, taught.actor.user_id).username

    with pytest.raises(Exception, match="their own"):
        give(session, taught, homework, f"username,extra_attempts\n{name},1\n")
