"""From whom an assignment hides results, and until when; and what an exam locks. All addresses: test_hidden_results."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.catalog.model import Revision
from app.courses.disclosure import ResultsHidden, disclosure_of, require_practice
from app.courses.due import AssignmentOpen, list_due, require_unlocked
from app.courses.extension import ExtensionWish, extend
from app.courses.model import Assignment, Extension, Sitting
from app.submissions.leaderboard import read_leaderboard
from tests.courses.seats import Taught, teach
from tests.factories import make_assignment, make_member, make_problem, make_user

NOW = datetime.now(UTC)
DAY = timedelta(days=1)


@pytest.fixture
def revision(session: Session) -> Revision:
    return make_problem(session, "sum")


@pytest.fixture
def taught(session: Session) -> Taught:
    return teach(session)


@pytest.fixture
def homework(session: Session, taught: Taught, revision: Revision) -> Assignment:
    """It closed yesterday, and shows results tomorrow."""
    dates = {"opens_at": NOW - 9 * DAY, "due_at": NOW - DAY, "shows_at": NOW + DAY}
    return make_assignment(session, taught.course, revision, shows="samples", **dates)


@pytest.mark.parametrize(
    ("changes", "is_hidden"),
    [
        ({}, True),
        ({"shows_at": NOW - DAY / 2}, False),
        ({"shows_at": None}, True),
        ({"shows_at": None, "released_at": NOW - DAY / 2}, False),
        ({"shows": "all", "shows_at": None}, False),
    ],
)
def test_results_are_hidden_until_the_date_or_the_release(
    session: Session, taught: Taught, homework: Assignment, changes: Mapping[str, Any], *, is_hidden: bool
) -> None:
    ada = make_user(session)
    make_member(session, taught.course, ada)
    for name, value in changes.items():
        setattr(homework, name, value)
    session.flush()

    assert (disclosure_of(session, homework.id, ada.id, ada.id).shows != "all") == is_hidden


def test_staff_see_all_of_their_own_and_others_hand_ins(session: Session, taught: Taught, homework: Assignment) -> None:
    ada, teacher = make_user(session), taught.instructor
    make_member(session, taught.course, ada)

    assert disclosure_of(session, homework.id, teacher.id, teacher.id).shows == "all"
    assert disclosure_of(session, homework.id, ada.id, teacher.id).shows == "all"


def test_with_an_extension_results_are_hidden_until_it_closes(
    session: Session, taught: Taught, homework: Assignment
) -> None:
    ada, eve = make_user(session), make_user(session)
    make_member(session, taught.course, ada, section="Mon")
    make_member(session, taught.course, eve, section="Tue")
    homework.shows_at = NOW - DAY / 2
    extend(session, taught.actor, taught.seat, homework, [ExtensionWish(section="Mon", due_at=NOW + 3 * DAY)])

    assert f"{NOW + 3 * DAY:%Y-%m-%d}" in (disclosure_of(session, homework.id, ada.id, ada.id).sentence or "")
    assert disclosure_of(session, homework.id, eve.id, eve.id).shows == "all"


def test_an_exam_hides_results_until_the_last_student_has_finished(
    session: Session, taught: Taught, revision: Revision
) -> None:
    ada, eve = make_user(session), make_user(session)
    window = {"opens_at": NOW - 2 * DAY, "due_at": NOW - DAY, "shows_at": NOW - DAY / 2}
    exam = make_assignment(session, taught.course, revision, kind="exam", minutes=90, shows="nothing", **window)
    make_member(session, taught.course, ada)
    make_member(session, taught.course, eve, section="Mon")

    def is_hidden() -> bool:
        session.flush()
        return disclosure_of(session, exam.id, ada.id, ada.id).shows != "all"

    assert not is_hidden()
    extend(session, taught.actor, taught.seat, exam, [ExtensionWish(section="Mon", due_at=NOW + DAY)])
    assert is_hidden()
    session.query(Extension).one().due_at = NOW - DAY / 48
    assert not is_hidden()
    sitting = Sitting(assignment_id=exam.id, user_id=eve.id, addresses=["192.0.2.1"], started_at=NOW - DAY / 24)
    session.add(sitting)
    assert is_hidden()
    assert "until the last student has finished" in str(disclosure_of(session, exam.id, ada.id, ada.id).sentence)
    sitting.is_settled = True
    assert not is_hidden()


def test_a_student_who_writes_after_the_release_sees_no_results(
    session: Session, taught: Taught, revision: Revision
) -> None:
    ada, eve = make_user(session), make_user(session)
    for user in (ada, eve):
        make_member(session, taught.course, user)
    window = {"opens_at": NOW - 2 * DAY, "due_at": NOW - DAY, "released_at": NOW - DAY / 2}
    exam = make_assignment(session, taught.course, revision, kind="exam", minutes=90, shows="samples", **window)
    session.add(Sitting(assignment_id=exam.id, user_id=eve.id, addresses=["192.0.2.1"]))
    session.flush()

    assert disclosure_of(session, exam.id, ada.id, ada.id).shows == "all"
    assert disclosure_of(session, exam.id, eve.id, eve.id).shows == "samples"


def test_practice_is_refused_to_its_students_while_results_are_hidden(
    session: Session, taught: Taught, homework: Assignment, revision: Revision
) -> None:
    ada, stranger = make_user(session), make_user(session)
    make_member(session, taught.course, ada)

    with pytest.raises(ResultsHidden, match="You can run the samples"):
        require_practice(session, ada.id, revision.problem_id)
    for user in (stranger, taught.instructor):
        require_practice(session, user.id, revision.problem_id)
    homework.shows_at = NOW - DAY / 2
    session.flush()
    require_practice(session, ada.id, revision.problem_id)


def test_the_leaderboard_is_closed_while_a_student_can_hand_in(
    session: Session, taught: Taught, revision: Revision
) -> None:
    ada, stranger = make_user(session), make_user(session)
    make_member(session, taught.course, ada)
    make_assignment(session, taught.course, revision)

    with pytest.raises(AssignmentOpen):
        read_leaderboard(session, "sum", signed_in(ada), "time")
    assert read_leaderboard(session, "sum", signed_in(stranger), "time").entries == ()


def test_before_its_beginning_no_answer_tells_the_problems_of_an_exam(
    session: Session, taught: Taught, revision: Revision
) -> None:
    ada, other = make_user(session), make_problem(session, "other")
    make_member(session, taught.course, ada)
    exam = make_assignment(session, taught.course, revision, kind="exam", minutes=90, shows="nothing")

    for problem_id in (revision.problem_id, other.problem_id):
        require_practice(session, ada.id, problem_id)
        with pytest.raises(AssignmentOpen):
            require_unlocked(session, ada.id, problem_id)
    assert list_due(session, ada.id, "sum") == []

    session.add(Sitting(assignment_id=exam.id, user_id=ada.id, addresses=["192.0.2.1"]))
    session.flush()
    require_unlocked(session, ada.id, other.problem_id)
    for refuse in (require_practice, require_unlocked):
        with pytest.raises((ResultsHidden, AssignmentOpen)):
            refuse(session, ada.id, revision.problem_id)
    assert [each.assignment.id for each in list_due(session, ada.id, "sum")] == [exam.id]


def test_an_exam_locks_its_problems_until_its_last_student_is_done(
    session: Session, taught: Taught, revision: Revision
) -> None:
    ada, eve = make_user(session), make_user(session)
    window = {"opens_at": NOW - 2 * DAY, "due_at": NOW - DAY / 24}
    exam = make_assignment(session, taught.course, revision, kind="exam", minutes=90, grace_seconds=0, **window)
    for user, ended_at in ((ada, NOW - DAY), (eve, None)):
        make_member(session, taught.course, user, time_factor=3)
        began = {"started_at": NOW - DAY / 12, "ended_at": ended_at}
        session.add(Sitting(assignment_id=exam.id, user_id=user.id, addresses=["192.0.2.1"], **began))
    session.flush()

    with pytest.raises(AssignmentOpen):
        require_unlocked(session, ada.id, revision.problem_id)

    session.get_one(Sitting, (exam.id, eve.id)).ended_at = NOW - DAY / 48
    session.flush()
    require_unlocked(session, ada.id, revision.problem_id)
