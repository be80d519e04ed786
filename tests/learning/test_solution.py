from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.accounts.permission import signed_in
from app.catalog.model import Revision
from app.courses.due import AssignmentOpen
from app.database.engine import Database
from app.learning.model import SolutionView
from app.learning.progress import read_learning
from app.learning.solution import (
    SolutionLocked,
    count_solved_after_seeing,
    get_solution,
    is_solution_open,
    require_open_solution,
    show_solution,
)
from tests.catalog.packages import FILES, SOLUTION
from tests.factories import make_assignment, make_course, make_judging, make_member, make_submission, make_user
from tests.learning.lessons import make_accepted

pytestmark = pytest.mark.usefixtures("revision")
SLUG = "scaled_sum"


def test_the_solution_is_locked_for_who_has_not_solved_the_problem(session: Session, revision: Revision) -> None:
    """Passing samples, wrong answers and another user's accepted submission do not unlock it."""
    ada, grace = make_user(session), make_user(session)
    make_accepted(session, grace, revision)
    make_accepted(session, ada, revision, mode="sample")
    wrong = make_submission(session, ada, revision)
    make_judging(session, wrong.id, verdict="wrong_answer", score=66)
    make_judging(session, make_submission(session, ada, revision).id)

    with pytest.raises(SolutionLocked, match="when one of your submissions is accepted, or when you ask"):
        get_solution(session, ada.id, SLUG)

    assert get_solution(session, grace.id, SLUG).opened_by == "accepted"


def test_the_solution_is_closed_while_the_student_can_hand_the_problem_in(session: Session, revision: Revision) -> None:
    ada, grace = make_user(session), make_user(session)
    for user in (ada, grace):
        make_accepted(session, user, revision)
    course = make_course(session)
    make_member(session, course, ada)
    homework = make_assignment(session, course, revision, title="Homework 1")

    for read in (get_solution, show_solution):
        with pytest.raises(AssignmentOpen, match="closed while Homework 1 is open: until"):
            read(session, ada.id, SLUG)
    assert not is_solution_open(session, signed_in(ada), revision.problem_id)
    with pytest.raises(AssignmentOpen):
        require_open_solution(session, signed_in(ada), SLUG)
    assert get_solution(session, grace.id, SLUG).opened_by == "accepted"

    homework.opens_at = homework.due_at - timedelta(days=30)
    homework.due_at = homework.closes_at = datetime.now(UTC) - timedelta(hours=1)
    session.flush()
    assert get_solution(session, ada.id, SLUG).opened_by == "accepted"
    assert is_solution_open(session, signed_in(ada), revision.problem_id)


def test_it_holds_reference_accepted_solutions_and_editorial_and_nothing_else_of_the_package(
    session: Session,
    revision: Revision,
) -> None:
    ada = make_user(session)
    make_accepted(session, ada, revision)

    solution = get_solution(session, ada.id, SLUG)

    assert (solution.reference, solution.editorial) == (SOLUTION, FILES["editorial.md"])
    assert [(one.name, one.source) for one in solution.accepted] == [("plain", SOLUTION)]
    assert "def make(" not in repr(solution)
    assert "forgets the scale" not in repr(solution)


def test_asking_to_be_shown_it_is_kept_once_and_said_of_the_success_that_follows(
    database: Database, revision: Revision
) -> None:
    with database.transaction() as session:
        ada = make_user(session)
        shown = show_solution(session, ada.id, SLUG)
    with database.transaction() as session:
        assert show_solution(session, ada.id, SLUG).lock == shown.lock
        before = read_learning(session, ada.id, SLUG).lock
    with database.transaction() as session:
        make_accepted(session, ada, revision)
        after = read_learning(session, ada.id, SLUG).lock

        counted = count_solved_after_seeing(session, ada.id)

    assert counted == 1
    assert (shown.opened_by, before.opened_by, before.is_solved_after_seeing) == ("asked", "asked", False)
    assert (after.opened_by, after.is_solved_after_seeing) == ("accepted", True)


def test_who_solved_it_first_is_not_said_to_have_looked(database: Database, revision: Revision) -> None:
    with database.transaction() as session:
        ada = make_user(session)
        make_accepted(session, ada, revision)
    with database.transaction() as session:
        shown = show_solution(session, ada.id, SLUG)

        assert session.scalars(select(SolutionView)).all() == []
        assert count_solved_after_seeing(session, ada.id) == 0
    assert shown.opened_by == "accepted"
    assert not shown.lock.is_solved_after_seeing
