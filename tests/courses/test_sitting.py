"""Sittings: the end of each, and what a student must show to begin one and to go on."""

import hashlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer, signed_in
from app.audit import Actor, AuditEvent
from app.courses.assignment import delete_assignment
from app.courses.deadlines import find_sitting_window, find_window, find_windows
from app.courses.extension import ExtensionWish, extend
from app.courses.member import MemberChange, change_member
from app.courses.model import Assignment, AssignmentProblem, Extension, Member, Sitting
from app.courses.role import get_seat
from app.courses.sitting import (
    Place,
    RunningExam,
    SittingElsewhere,
    WrongPlace,
    add_minutes,
    begin,
    find_running,
    list_sittings,
    pin_again,
    unlock,
)
from app.errors import Conflict, LimitReached, Refused
from tests.courses.seats import Taught, as_viewer, teach
from tests.factories import make_assignment, make_problem
from tests.rejudging.rows import add_revision

NINE = datetime(2026, 11, 2, 9, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
NOW = datetime.now(UTC)
HERE = Place(credential_id=uuid4(), address="192.0.2.7", url="https://judge.test/courses/c?x=1", hashes=())
KEY = "81aad4ab9dfd447cc479e6a4a7c9a544e2cafc7f3adeb68b2a21efad68eca4dc"


@pytest.mark.parametrize(
    ("began", "factor", "extra", "ends"),
    [
        (NINE, "1", 0, NINE + 90 * MINUTE),
        (NINE + HOUR, "1", 0, NINE + 2 * HOUR),  # late: as much as the window leaves
        (NINE, "1.5", 0, NINE + 135 * MINUTE),  # after the window
        (NINE + HOUR, "1.5", 0, NINE + 165 * MINUTE),  # what the factor adds is never lost
        (NINE + HOUR, "1", 20, NINE + 140 * MINUTE),
        (NINE + HOUR, "1.5", 20, NINE + 185 * MINUTE),
    ],
)
def test_the_end_is_the_own_minutes_from_the_beginning_on(
    began: datetime, factor: str, extra: int, ends: datetime
) -> None:
    exam = Assignment(opens_at=NINE, due_at=NINE + 2 * HOUR, closes_at=NINE + 2 * HOUR, grace_seconds=60, late_steps=[])
    window = find_window(exam, [Extension(extra_attempts=0, extra_minutes=extra)])

    own = find_sitting_window(window, Sitting(started_at=began), 90, Decimal(factor))

    assert (own.opens_at, own.closes_at) == (began, ends)
    assert own.credit(ends + MINUTE) == 100
    assert own.credit(ends + MINUTE + timedelta(seconds=1)) is None


@pytest.fixture
def taught(session: Session) -> Taught:
    return teach(session)


@pytest.fixture
def ada(session: Session, taught: Taught) -> Viewer:
    return as_viewer(session, "ada", taught.course)


def make_exam(session: Session, taught: Taught, **columns: Any) -> Assignment:
    usual = {"opens_at": NOW - HOUR, "due_at": NOW + HOUR, "kind": "exam", "minutes": 30}
    return make_assignment(session, taught.course, make_problem(session), **usual | columns)


def sit(
    session: Session, viewer: Viewer, taught: Taught, exam: Assignment, place: Place = HERE, password: str = ""
) -> RunningExam:
    running = begin_with(session, viewer, taught, exam, password, place)
    assert running is not None
    return running


def begin_with(
    session: Session, viewer: Viewer, taught: Taught, exam: Assignment, password: str, place: Place = HERE
) -> RunningExam | None:
    seat = get_seat(session, viewer, taught.course.slug)
    return begin(session, Actor(user_id=viewer.id, channel="page"), seat, exam, place, password)


@pytest.mark.parametrize(
    ("opens", "due", "words"),
    [
        (HOUR, 2 * HOUR, "can be begun from"),
        (-HOUR, -timedelta(seconds=1), "could be begun until"),
    ],
)
def test_outside_of_its_window_an_exam_can_not_be_begun(
    session: Session, taught: Taught, ada: Viewer, opens: timedelta, due: timedelta, words: str
) -> None:
    exam = make_exam(session, taught, opens_at=NOW + opens, due_at=NOW + due)

    with pytest.raises(Conflict, match=words):
        sit(session, ada, taught, exam)


@pytest.mark.parametrize(("opens", "due"), [(-timedelta(seconds=1), HOUR), (-HOUR, timedelta(minutes=1))])
def test_at_both_edges_of_its_window_an_exam_can_be_begun(
    session: Session, taught: Taught, ada: Viewer, opens: timedelta, due: timedelta
) -> None:
    now = datetime.now(UTC)
    exam = make_exam(session, taught, opens_at=now + opens, due_at=now + due)

    running = sit(session, ada, taught, exam)

    assert running.window.closes_at <= running.sitting.started_at + 30 * MINUTE


def test_a_password_is_asked_for(session: Session, taught: Taught, ada: Viewer) -> None:
    exam = make_exam(session, taught, password="plum tree")

    assert begin_with(session, ada, taught, exam, "plum") is None
    assert sit(session, ada, taught, exam, password=" plum tree ").assignment.id == exam.id


def test_wrong_passwords_are_counted_in_the_database(session: Session, taught: Taught, ada: Viewer) -> None:
    exam = make_exam(session, taught, password="plum tree")
    eve = as_viewer(session, "eve", taught.course)

    wrong = [begin_with(session, ada, taught, exam, str(number)) for number in range(10)]

    assert wrong == [None] * 10
    with pytest.raises(LimitReached, match="10 wrong passwords for exams in 5 minutes"):
        sit(session, ada, taught, exam, password="plum tree")
    assert sit(session, eve, taught, exam, password="plum tree")


def test_a_password_can_not_be_guessed_before_the_opening(session: Session, taught: Taught, ada: Viewer) -> None:
    now = datetime.now(UTC)
    exam = make_exam(session, taught, password="plum tree", opens_at=now + MINUTE, due_at=now + 9 * MINUTE)

    for guess in ("plum", "plum tree"):
        with pytest.raises(Conflict, match="can be begun from"):
            sit(session, ada, taught, exam, password=guess)


@pytest.mark.parametrize(
    ("address", "is_in"),
    [
        ("192.0.2.7", True),
        ("::ffff:192.0.2.7", True),
        ("2001:db8::1", True),
        ("198.51.100.7", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_an_exam_is_written_in_its_networks_only(
    session: Session, taught: Taught, ada: Viewer, address: str, is_in: bool
) -> None:
    exam = make_exam(session, taught, networks=["192.0.2.0/24", "2001:db8::/32"])
    place = Place(credential_id=HERE.credential_id, address=address, url=HERE.url, hashes=())

    if is_in:
        assert sit(session, ada, taught, exam, place)
    else:
        with pytest.raises(WrongPlace, match="networks"):
            sit(session, ada, taught, exam, place)


@pytest.mark.parametrize(
    ("url", "key", "is_right"),
    [(HERE.url, KEY, True), ("https://judge.test/elsewhere", KEY, False), (HERE.url, "0" * 64, False)],
)
def test_safe_exam_browser_proves_its_key_for_the_address_of_the_request(
    session: Session, taught: Taught, ada: Viewer, url: str, key: str, is_right: bool
) -> None:
    exam = make_exam(session, taught, seb_keys=["f" * 64, KEY])
    proof = hashlib.sha256((url + key).encode()).hexdigest()
    place = Place(credential_id=HERE.credential_id, address=HERE.address, url=HERE.url, hashes=(proof,))

    if is_right:
        assert sit(session, ada, taught, exam, place)
    else:
        with pytest.raises(WrongPlace, match="Safe Exam Browser"):
            sit(session, ada, taught, exam, place)


def test_without_its_header_any_browser_is_refused(session: Session, taught: Taught, ada: Viewer) -> None:
    with pytest.raises(WrongPlace, match="Safe Exam Browser"):
        sit(session, ada, taught, make_exam(session, taught, seb_keys=[KEY]))


def test_a_second_sign_in_goes_on_only_after_staff_have_unlocked_it(
    session: Session, taught: Taught, ada: Viewer
) -> None:
    exam = make_exam(session, taught)
    first = sit(session, ada, taught, exam)
    other = Place(credential_id=uuid4(), address="192.0.2.8", url=HERE.url, hashes=())

    with pytest.raises(SittingElsewhere):
        sit(session, ada, taught, exam, other)
    unlock(session, taught.actor, first.sitting)
    again = sit(session, ada, taught, exam, other)

    assert again.sitting.credential_id == other.credential_id
    assert again.sitting.addresses == ["192.0.2.7", "192.0.2.8"]
    assert again.sitting.started_at == first.sitting.started_at
    with pytest.raises(SittingElsewhere):
        sit(session, ada, taught, exam)


def test_a_student_who_can_not_open_the_course_is_not_closed_in_its_exam(
    session: Session, taught: Taught, ada: Viewer
) -> None:
    sit(session, ada, taught, make_exam(session, taught))
    member = session.scalars(select(Member).where(Member.user_id == ada.id)).one()

    for row, name, value in ((taught.course, "state", "draft"), (member, "left_at", NOW)):
        before = getattr(row, name)
        setattr(row, name, value)
        session.flush()
        assert find_running(session, ada.id) is None
        setattr(row, name, before)
        session.flush()
    assert find_running(session, ada.id) is not None


def test_staff_and_a_second_exam_at_once_are_refused(session: Session, taught: Taught, ada: Viewer) -> None:
    exam, second = make_exam(session, taught), make_exam(session, taught)
    sit(session, ada, taught, exam)

    with pytest.raises(Conflict, match="End it first"):
        sit(session, ada, taught, second)
    with pytest.raises(Refused, match="Staff write no exams"):
        sit(session, signed_in(taught.instructor), taught, exam)


def test_minutes_that_staff_add_count_at_once_and_also_after_the_time_was_up(
    session: Session, taught: Taught, ada: Viewer
) -> None:
    exam = make_exam(session, taught, grace_seconds=0)
    sitting = sit(session, ada, taught, exam).sitting
    sitting.started_at, sitting.is_settled = NOW - 40 * MINUTE, True
    session.flush()
    member = session.scalars(select(Member).where(Member.user_id == ada.id)).one()
    assert find_running(session, ada.id) is None

    for minutes in (10, 15):
        add_minutes(session, taught.actor, taught.seat, exam, member.id, minutes)

    running = find_running(session, ada.id)
    assert running is not None
    assert running.window.closes_at == sitting.started_at + 55 * MINUTE


@pytest.mark.parametrize("change", [{"time_factor": Decimal(2)}, {"section": "Mon"}])
def test_a_member_who_gets_more_time_after_the_end_writes_the_exam_again(
    session: Session, taught: Taught, ada: Viewer, change: dict[str, Any]
) -> None:
    exam = make_exam(session, taught, grace_seconds=0)
    extend(session, taught.actor, taught.seat, exam, [ExtensionWish(section="Mon", extra_minutes=30)])
    sitting = sit(session, ada, taught, exam).sitting
    sitting.started_at, sitting.is_settled = NOW - 40 * MINUTE, True
    session.flush()
    member = session.scalars(select(Member).where(Member.user_id == ada.id)).one()
    assert find_running(session, ada.id) is None

    change_member(session, taught.actor, taught.seat, member.id, MemberChange(**change))

    assert find_running(session, ada.id) is not None


def test_the_time_factor_and_a_sections_extension_count(session: Session, taught: Taught, ada: Viewer) -> None:
    exam = make_exam(session, taught)
    member = session.scalars(select(Member).where(Member.user_id == ada.id)).one()
    member.time_factor, member.section = Decimal("1.5"), "Mon"
    extend(session, taught.actor, taught.seat, exam, [ExtensionWish(section="Mon", extra_minutes=5)])

    running = sit(session, ada, taught, exam)

    assert running.window.closes_at == running.sitting.started_at + 50 * MINUTE
    assert find_windows(session, [exam])[exam.id].of(ada.id) == running.window


def test_the_first_beginning_pins_the_revisions_and_an_instructor_pins_newer_ones(
    session: Session, taught: Taught, ada: Viewer
) -> None:
    first = make_problem(session)
    exam = make_assignment(
        session, taught.course, first, opens_at=NOW - HOUR, due_at=NOW + HOUR, kind="exam", minutes=30
    )
    sit(session, ada, taught, exam)
    second = add_revision(session, first)

    grace = as_viewer(session, "grace", taught.course)
    sit(session, grace, taught, exam)
    kept = pinned(session, exam.id)
    pin_again(session, taught.actor, exam, "A typing error in problem 1 is corrected.")

    assert kept == [first.id]
    assert pinned(session, exam.id) == [second.id]
    assert find_running(session, grace.id).assignment.notice.startswith("A typing error")  # type: ignore[union-attr]


def test_an_exam_that_a_student_has_begun_stays(session: Session, taught: Taught, ada: Viewer) -> None:
    exam = make_exam(session, taught)
    sit(session, ada, taught, exam)

    with pytest.raises(Conflict, match="have begun"):
        delete_assignment(session, taught.actor, exam)


def pinned(session: Session, exam_id: UUID) -> list[UUID | None]:
    of_exam = AssignmentProblem.assignment_id == exam_id
    return list(session.scalars(select(AssignmentProblem.revision_id).where(of_exam)))


def test_staff_see_who_has_begun_and_the_audit_log_has_ids_only(session: Session, taught: Taught, ada: Viewer) -> None:
    exam = make_exam(session, taught, password="plum")
    as_viewer(session, "grace", taught.course)
    sit(session, ada, taught, exam, password="plum")

    rows = {row.username: row.state for row in list_sittings(session, exam)}
    event = session.scalars(select(AuditEvent).where(AuditEvent.action == "sitting.begun")).one()

    assert rows == {"ada": "writing", "grace": "not begun"}
    assert (event.target, event.subject_id, event.before, event.after) == (str(exam.id), ada.id, None, None)
