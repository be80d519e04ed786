"""What an author learns from the last submissions for a problem."""

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import select

from app.accounts.model import Role, User
from app.catalog.publish import find_current, publish
from app.database.engine import Database
from app.errors import ProblemNotFound
from app.judging.verdicts import CaseResult
from app.learning.lesson import reveal_hint
from app.learning.problem_statistics import ProblemStatistics, read_problem_statistics
from app.submissions.view import Mode
from tests.catalog.packages import make_package
from tests.factories import make_judging, make_submission, make_user
from tests.web.judged import all_right, answered, judge

SLUG = "scaled_sum"
WRONG = (answered(0, np.array(3, np.float32)), *all_right()[1:])


@pytest.fixture(autouse=True)
def problem(database: Database) -> None:
    with database.transaction() as session:
        publish(session, make_package())


def send(
    database: Database,
    username: str,
    results: tuple[CaseResult, ...],
    hint: str | None = None,
    mode: Mode = "submit",
    role: Role = "student",
) -> None:
    """A judged submission of this user, who is made at the first one."""
    with database.transaction() as session:
        user = session.scalars(select(User).where(User.username == username)).one_or_none()
        submission = make_submission(
            session, user or make_user(session, username, role), find_current(session, SLUG), mode
        )
        make_judging(session, submission.id)
    judge(database, *results, hint=hint)


def read(database: Database) -> ProblemStatistics:
    with database.transaction() as session:
        return read_problem_statistics(session, SLUG)


def test_a_problem_without_submissions_has_no_rates(database: Database) -> None:
    statistics = read(database)

    assert (statistics.submissions, statistics.students, statistics.solve_rate) == (0, 0, None)
    assert statistics.cases == ()


def test_solvers_attempts_mistakes_and_failing_cases_are_counted(database: Database) -> None:
    send(database, "ada", WRONG, hint="the scale is forgotten")
    send(database, "ada", WRONG, hint="the scale is forgotten")
    send(database, "ada", all_right())
    send(database, "ada", WRONG)  # after the first accepted one
    send(database, "bob", WRONG, hint="the scale is forgotten")

    statistics = read(database)

    assert (statistics.submissions, statistics.students, statistics.solved) == (5, 2, 1)
    assert statistics.solve_rate == 0.5
    assert statistics.median_attempts == 3
    assert {each.verdict: each.count for each in statistics.verdicts} == {"wrong_answer": 4, "accepted": 1}
    assert [(each.hint, each.students) for each in statistics.mistakes] == [("the scale is forgotten", 2)]
    assert [(each.name, each.failed, each.judged) for each in statistics.cases] == [("small", 4, 5)]


def test_samples_alone_do_not_count(database: Database) -> None:
    send(database, "ada", all_right()[:1], mode="sample")

    assert read(database).students == 0


def test_hints_of_its_students_are_counted(database: Database) -> None:
    send(database, "ada", WRONG)
    with database.transaction() as session:
        ada = session.scalars(select(User.id).where(User.username == "ada")).one()
        reveal_hint(session, ada, SLUG, 1)

    assert [(each.number, each.students) for each in read(database).hints] == [(1, 1)]


@pytest.mark.parametrize("role", ["author", "admin"])
def test_authors_and_admins_do_not_count_as_students(database: Database, role: Role) -> None:
    send(database, "emmy", all_right(), role=role)

    statistics = read(database)

    assert (statistics.submissions, statistics.students, statistics.shares) == (0, 0, ())


def test_attempts_and_minutes_are_drawn_by_solver(database: Database) -> None:
    for username, wrong in (("ada", 0), ("bob", 3), ("eve", 12)):
        for _ in range(wrong):
            send(database, username, WRONG)
        send(database, username, all_right())

    statistics = read(database)

    assert [(bar.most, bar.count) for bar in statistics.attempts] == [
        (1, 1),
        (2, 0),
        (3, 0),
        (5, 1),
        (10, 0),
        (None, 1),
    ]
    assert [bar.count for bar in statistics.minutes] == [3, 0, 0, 0, 0, 0]


def test_submissions_near_the_tolerance_are_counted_by_their_worst_case(database: Database) -> None:
    for used in ((0.001, 0.9, None), (0.4, 0.1, None), (1.5, 0.9, 0.1), (float("inf"), None, None)):
        results = zip(all_right(), used, strict=True)
        send(database, "ada", tuple(replace(result, tolerance_used=share) for result, share in results))

    statistics = read(database)

    assert statistics.near == 2
    assert [(bar.most, bar.count) for bar in statistics.shares] == [
        *((0.01, 0), (0.1, 0), (0.5, 1), (1, 1), (2, 1), (10, 0)),
        (None, 1),
    ]
    assert {case.name: case.near for case in statistics.cases} == {"large": 2, "small": 1}


def test_an_unknown_problem_has_none(database: Database) -> None:
    with database.transaction() as session, pytest.raises(ProblemNotFound):
        read_problem_statistics(session, "unknown")
