"""Handing in: the moment that counts, the attempts, and that no load refuses it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import func, select, update

from app.accounts.permission import Viewer, signed_in
from app.courses.model import Assignment, Course, Extension
from app.database.engine import Database
from app.errors import Conflict, LimitReached, NotFound
from app.submissions.hand_in import AttemptsUsed, NotTaken, choose_hand_in, find_hand_in
from app.submissions.model import CaseRow, Judging, Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.courses.seats import as_viewer
from tests.factories import (
    finish_judgings,
    make_assignment,
    make_course,
    make_member,
    make_problem,
    make_user,
)
from tests.transaction import commit, execute

NONE_LEFT = SubmitLimits(max_pending=0, judging_seconds_per_hour=0, submissions_per_hour=0)
NOW = datetime.now(UTC)
AT_ONCE = timedelta(0)


@pytest.fixture
def ada(database: Database) -> Viewer:
    """A student of the course `here` with the assignment `homework`, which has the problem `sum` and 2 attempts."""
    with database.transaction() as session:
        course = make_course(session, "here")
        make_assignment(session, course, make_problem(session, "sum"), slug="homework", attempts=2)
        make_problem(session, "other")
        return as_viewer(session, "ada", course)


def hand_in(
    database: Database, viewer: Viewer, waited: timedelta = AT_ONCE, limits: SubmitLimits = NONE_LEFT, key: str = ""
) -> UUID:
    with database.transaction() as session:
        found = find_hand_in(session, viewer, "here", "homework", "sum", waited)
        wanted = Submit(
            user_id=viewer.id,
            slug="sum",
            source="x = 1",
            mode="submit",
            hand_in=found,
            idempotency_key=key or None,
        )
        return submit(session, wanted, limits).id


def change(database: Database, **columns: object) -> None:
    """Change the assignment."""
    execute(database, update(Assignment).values(**columns))


def test_a_hand_in_is_stored_where_every_limit_is_used_up(database: Database, ada: Viewer) -> None:
    first = hand_in(database, ada)

    with database.transaction() as session:
        row = session.get_one(Submission, first)
        assert row.assignment_id is not None
    with database.transaction() as session, pytest.raises(LimitReached):
        submit(session, Submit(user_id=ada.id, slug="sum", source="x = 1", mode="submit"), NONE_LEFT)


def test_parallel_hand_ins_never_have_more_than_the_attempts(database: Database, ada: Viewer) -> None:
    def try_once(_: int) -> bool:
        try:
            hand_in(database, ada)
        except AttemptsUsed:
            return False
        return True

    hand_in(database, ada)
    with ThreadPoolExecutor(20) as threads:
        stored = list(threads.map(try_once, range(20)))

    assert stored.count(True) == 1
    with database.transaction() as session:
        assert session.scalar(select(func.count()).select_from(Submission)) == 2


def test_the_judges_failure_and_an_early_cancel_cost_no_attempt(database: Database, ada: Viewer) -> None:
    for verdict in ("judge_error", "cancelled", "wrong_answer"):
        hand_in(database, ada)
        commit(database, finish_judgings, verdict)
    hand_in(database, ada)

    with pytest.raises(AttemptsUsed, match="all 2 attempts"):
        hand_in(database, ada)


def test_a_cancel_after_the_first_result_costs_an_attempt(database: Database, ada: Viewer) -> None:
    for _ in range(2):
        hand_in(database, ada)
        with database.transaction() as session:
            judging = session.scalars(select(Judging).where(Judging.verdict.is_(None))).one()
            case = {"visibility": "sample", "verdict": "accepted", "report": {}}
            session.add(CaseRow(judging_id=judging.id, attempt=0, position=0, sequence=0, name="small", **case))
            finish_judgings(session, "cancelled")

    with pytest.raises(AttemptsUsed):
        hand_in(database, ada)


def test_an_extension_gives_attempts_at_once(database: Database, ada: Viewer) -> None:
    for _ in range(2):
        hand_in(database, ada)
    with database.transaction() as session:
        assignment_id = session.scalars(select(Submission.assignment_id)).first()
        session.add(Extension(assignment_id=assignment_id, user_id=ada.id, extra_attempts=1))

    hand_in(database, ada)

    with pytest.raises(AttemptsUsed, match="all 3 attempts"):
        hand_in(database, ada)


def test_the_time_of_arrival_counts_and_not_that_of_waiting(database: Database, ada: Viewer) -> None:
    change(database, due_at=NOW - timedelta(hours=1), closes_at=NOW - timedelta(hours=1), grace_seconds=0)

    in_time = hand_in(database, ada, waited=timedelta(hours=2))
    with pytest.raises(NotTaken, match="closed at"):
        hand_in(database, ada)

    with database.transaction() as session:
        at = session.get_one(Submission, in_time).created_at
        assert timedelta(hours=2) <= session.scalars(select(func.now())).one() - at < timedelta(hours=2, minutes=5)


def test_the_open_homework_is_chosen_by_the_time_of_arrival(database: Database, ada: Viewer) -> None:
    change(database, due_at=NOW - timedelta(hours=1), closes_at=NOW - timedelta(hours=1), grace_seconds=0)

    with database.transaction() as session:
        in_time = choose_hand_in(session, ada, None, "sum", timedelta(hours=2))
        late = choose_hand_in(session, ada, None, "sum", AT_ONCE)

    assert in_time is not None
    assert late is None


def test_the_grace_is_not_late(database: Database, ada: Viewer) -> None:
    closed = datetime.now(UTC) - timedelta(seconds=100)
    change(database, due_at=closed, closes_at=closed, grace_seconds=300)

    assert hand_in(database, ada)


def test_before_the_opening_nothing_is_taken(database: Database, ada: Viewer) -> None:
    change(database, opens_at=NOW + timedelta(hours=1))

    with pytest.raises(NotTaken, match="opens at"):
        hand_in(database, ada)


def test_staff_hand_in_at_any_time_and_without_attempts(database: Database, ada: Viewer) -> None:
    change(database, opens_at=NOW + timedelta(hours=1))
    with database.transaction() as session:
        helper = make_user(session, "helper")
        course = session.scalars(select(Course)).one()
        make_member(session, course, helper, "assistant")
    viewer = signed_in(helper)

    assert [bool(hand_in(database, viewer)) for _ in range(4)] == [True] * 4
    assert viewer.id != ada.id


def test_without_a_number_of_attempts_one_is_taken_each_5_seconds(database: Database, ada: Viewer) -> None:
    change(database, attempts=None)
    hand_in(database, ada, waited=timedelta(seconds=5))
    hand_in(database, ada)

    with pytest.raises(LimitReached, match="Hand in again in"):
        hand_in(database, ada)


def test_a_repeated_request_is_the_same_hand_in(database: Database, ada: Viewer) -> None:
    first, second = (hand_in(database, ada, key="once") for _ in range(2))

    assert first == second
    practice = Submit(user_id=ada.id, slug="sum", source="x = 1", mode="submit", idempotency_key="once")
    with database.transaction() as session, pytest.raises(Conflict):
        submit(session, practice, SubmitLimits(max_pending=9))


@pytest.mark.parametrize(
    ("course", "assignment", "problem"),
    [("there", "homework", "sum"), ("here", "exam", "sum"), ("here", "homework", "other")],
)
def test_what_is_not_in_the_assignment_is_not_found(
    database: Database, ada: Viewer, course: str, assignment: str, problem: str
) -> None:
    with database.transaction() as session, pytest.raises(NotFound):
        find_hand_in(session, ada, course, assignment, problem, AT_ONCE)


def test_an_archived_course_takes_nothing(database: Database, ada: Viewer) -> None:
    execute(database, update(Course).values(state="archived"))

    with pytest.raises(NotTaken, match="is archived"):
        hand_in(database, ada)
