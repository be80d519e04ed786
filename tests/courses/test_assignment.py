"""Assignments: what is refused, who sees what before the opening, extensions, and a copy for the next term."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.courses.assignment import (
    AssignmentFields,
    change_assignment,
    create_assignment,
    delete_assignment,
    list_assignments,
    view_assignments,
)
from app.courses.course_copy import CopyWish, copy_course
from app.courses.deadlines import find_windows
from app.courses.due import list_due
from app.courses.extension import ExtensionWish, extend
from app.courses.local_time import show_local
from app.courses.role import Seat, get_seat
from app.errors import Conflict, Invalid
from app.grading.adjustment import release
from app.grading.book import read_book
from tests.courses.seats import Taught, as_viewer, teach
from tests.factories import make_assignment, make_member, make_problem, make_submission, make_user

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


def fields(**changes: Any) -> AssignmentFields:
    usual = {"title": "Homework 1", "problems": [{"problem": "sum", "points": "12.5"}]}
    return AssignmentFields.model_validate(usual | {"opens_at": NOW - DAY, "due_at": NOW + DAY} | changes)


@pytest.fixture
def taught(session: Session) -> Taught:
    make_problem(session, "sum")
    return teach(session)


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"due_at": NOW - 2 * DAY}, "due_at", "due before it opens"),
        ({"closes_at": NOW}, "closes_at", "close before it is due"),
        ({"closes_at": NOW + 2 * DAY}, "late_steps", "Say what late work earns"),
        (
            {"closes_at": NOW + 2 * DAY, "late_steps": [{"hours": 5, "percent": 5}, {"hours": 5, "percent": 1}]},
            "late_steps",
            "The hours must grow",
        ),
        ({"problems": [{"problem": "nothing"}]}, "problems", "Students can open no problem 'nothing'"),
        ({"problems": [{"problem": "sum"}, {"problem": "sum"}]}, "problems", "stands twice"),
        ({"shows_at": NOW + DAY}, "shows_at", "Students see all results at once"),
    ],
)
def test_an_assignment_that_makes_no_sense_is_refused(
    session: Session, taught: Taught, changes: Mapping[str, Any], field: str, words: str
) -> None:
    with pytest.raises(Invalid, match=words) as fault:
        create_assignment(session, taught.actor, taught.seat, fields(**changes))

    assert fault.value.field == field


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Home\nwork"},
        {"title": "\N{RIGHT-TO-LEFT OVERRIDE}krow"},
        {"title": " "},
        {"password": "a\0"},
        {"networks": ["fe80::%eth\0"]},
        {"due_at": "9999-12-31T23:59:59Z"},
    ],
)
def test_a_field_that_would_break_a_page_is_refused(changes: Mapping[str, Any]) -> None:
    with pytest.raises(ValidationError):
        fields(**changes)


def test_a_password_is_kept_as_students_type_it() -> None:
    assert fields(kind="exam", minutes=60, password=" open sesame ").password == "open sesame"


def test_results_of_released_points_are_not_hidden_again(session: Session, taught: Taught) -> None:
    assignment = create_assignment(session, taught.actor, taught.seat, fields(shows="samples", shows_at=NOW - DAY))
    release(session, taught.actor, assignment, read_book(session, taught.seat))
    session.flush()

    with pytest.raises(Invalid, match="Hide the points first"):
        change_assignment(session, taught.actor, assignment, fields(shows="samples", shows_at=NOW + DAY))


def test_points_are_not_released_before_the_results(session: Session, taught: Taught) -> None:
    assignment = create_assignment(session, taught.actor, taught.seat, fields(shows="nothing", shows_at=NOW + DAY))

    with pytest.raises(Conflict, match="hides results until"):
        release(session, taught.actor, assignment, read_book(session, taught.seat))


def test_students_see_the_problems_from_the_opening_on(session: Session, taught: Taught) -> None:
    opens = {"opens_at": NOW + DAY, "due_at": NOW + 2 * DAY}
    create_assignment(session, taught.actor, taught.seat, fields(text="secret", **opens))
    ada = as_viewer(session, "ada", taught.course)
    seat = get_seat(session, ada, taught.course.slug)

    student = view_assignments(session, seat, ada.id, list_assignments(session, seat))[0]
    staff = view_assignments(session, taught.seat, taught.instructor.id, list_assignments(session, seat))[0]

    assert (student.phase, student.text, student.problems) == ("before", "", ())
    assert (staff.text, staff.problems[0].points) == ("secret", Decimal("12.5"))


def test_an_extension_of_a_section_holds_for_its_later_members(session: Session, taught: Taught) -> None:
    assignment = make_assignment(session, taught.course)
    early = make_user(session)
    make_member(session, taught.course, early, section="Mon")

    later = NOW + 30 * DAY
    extend(session, taught.actor, taught.seat, assignment, [ExtensionWish(section="Mon", due_at=later)])
    late, other = make_user(session), make_user(session)
    make_member(session, taught.course, late, section="Mon")
    make_member(session, taught.course, other, section="Tue")

    windows = find_windows(session, [assignment])[assignment.id]
    assert [windows.of(user.id).due_at for user in (early, late)] == [later, later]
    assert windows.of(other.id).due_at == assignment.due_at


def test_an_extension_replaces_the_one_that_the_person_has(session: Session, taught: Taught) -> None:
    assignment = make_assignment(session, taught.course)
    ada = make_user(session)
    member = make_member(session, taught.course, ada)
    for days in (30, 20):
        wish = ExtensionWish(member=member.id, due_at=NOW + days * DAY)
        extend(session, taught.actor, taught.seat, assignment, [wish])

    assert find_windows(session, [assignment], ada.id)[assignment.id].of(ada.id).due_at == NOW + 20 * DAY


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ({}, "exactly one"),
        ({"section": "Mon", "closes_at": NOW}, "before it is due"),
        ({"section": "Mon", "due_at": NOW}, "for everyone. Choose a later time"),
        ({"member": "00000000-0000-0000-0000-000000000000"}, "no member"),
    ],
)
def test_an_extension_that_makes_no_sense_is_refused(
    session: Session, taught: Taught, wish: Mapping[str, Any], words: str
) -> None:
    assignment = make_assignment(session, taught.course)

    with pytest.raises(Invalid, match=words):
        extend(session, taught.actor, taught.seat, assignment, [ExtensionWish.model_validate(wish)])


@pytest.mark.parametrize("wish", [{"section": "a\0"}, {"closes_at": "9999-12-31T23:59:59Z"}, {"reason": "a\nb"}])
def test_an_extension_that_would_break_a_page_is_refused(wish: Mapping[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ExtensionWish.model_validate(wish)


def test_what_is_due_are_the_open_assignments_of_open_courses(session: Session, taught: Taught) -> None:
    ada = as_viewer(session, "ada", taught.course)
    past = {"opens_at": NOW - 3 * DAY, "due_at": NOW - 2 * DAY}
    make_assignment(session, taught.course, slug="closed", **past)
    make_assignment(session, taught.course, slug="late", **past, closes_at=NOW + DAY)
    make_assignment(session, taught.course, slug="future", opens_at=NOW + DAY)
    make_assignment(session, taught.course, slug="open")
    archived = teach(session, state="archived")
    make_member(session, archived.course, ada.user)
    make_assignment(session, archived.course, slug="archived")

    due = list_due(session, ada.id)

    assert [(each.assignment.slug, each.is_late) for each in due] == [("late", True), ("open", False)]
    assert list_due(session, taught.instructor.id) == []


def test_an_assignment_is_deleted_until_something_is_handed_in(session: Session, taught: Taught) -> None:
    revision = make_problem(session)
    empty, used = (make_assignment(session, taught.course, revision) for _ in range(2))
    make_submission(session, revision=revision).assignment_id = used.id
    session.flush()

    delete_assignment(session, taught.actor, empty)
    with pytest.raises(Conflict, match="have handed in"):
        delete_assignment(session, taught.actor, used)

    assert [each.id for each in list_assignments(session, taught.seat)] == [used.id]


def test_a_copy_has_the_assignments_at_the_same_local_times_and_no_members(session: Session, taught: Taught) -> None:
    summer = datetime(2026, 10, 19, 21, 59, tzinfo=UTC)  # Monday 23:59 in Berlin
    dates = {"opens_at": summer - 7 * DAY, "due_at": summer}
    create_assignment(session, taught.actor, taught.seat, fields(**dates, attempts=2, weight="3"))
    make_member(session, taught.course, make_user(session))

    copy = copy_course(session, taught.actor, taught.seat, CopyWish(title="Next term", weeks=1))

    seat = get_seat(session, signed_in(taught.instructor), copy.slug)
    made = list_assignments(session, seat)[0]
    assert (copy.state, seat.role, copy.timezone) == ("draft", "instructor", "Europe/Berlin")
    assert show_local(made.due_at, copy.timezone) == "Mon 2026-10-26 23:59 CET"
    assert (made.attempts, made.weight, made.problems[0].points) == (2, Decimal(3), Decimal("12.5"))
    assert isinstance(seat, Seat)
