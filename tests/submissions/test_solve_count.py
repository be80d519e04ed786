"""The counts of who tried and who solved each problem."""

from uuid import UUID

from sqlalchemy import delete, func, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.accounts.permission import AUTHORS
from app.catalog.model import Revision, SolveCount
from app.catalog.publish import publish
from app.catalog.query import get_problem
from app.database.engine import Database
from app.submissions.model import Submission
from app.submissions.solved import EVERY, recount, recount_if_due
from tests.catalog.packages import make_package
from tests.factories import make_judging, make_problem, make_submission, make_user


def send(session: Session, user: User, revision: Revision, verdict: str) -> Submission:
    submission = make_submission(session, user, revision)
    make_judging(session, submission.id, verdict=verdict)
    return submission


def read(session: Session, problem_id: UUID) -> tuple[int, int, int, int | None]:
    count = session.get_one(SolveCount, problem_id, populate_existing=True)
    return count.submissions, count.students, count.solved, count.accepted


def test_students_and_solvers_are_counted_once_and_samples_and_failures_of_allclose_never(session: Session) -> None:
    revision, untried = make_problem(session), make_problem(session)
    ada, bob, eve = (make_user(session) for _ in range(3))
    for user, verdict in ((ada, "wrong_answer"), (ada, "accepted"), (ada, "accepted"), (bob, "runtime_error")):
        send(session, user, revision, verdict)
    for verdict in ("judge_error", "cancelled"):
        send(session, eve, revision, verdict)
    make_judging(session, make_submission(session, eve, revision).id)
    sample = make_submission(session, eve, revision, mode="sample")
    make_judging(session, sample.id, verdict="accepted")

    recount(session)

    assert read(session, revision.problem_id) == (4, 2, 1, 2)
    assert read(session, untried.problem_id) == (0, 0, 0, 0)


def test_authors_and_admins_are_no_students(session: Session) -> None:
    revision = make_problem(session)
    for role in AUTHORS:
        send(session, make_user(session, role=role), revision, "accepted")

    recount(session)

    assert read(session, revision.problem_id) == (0, 0, 0, 0)


def test_a_rejudged_or_removed_submission_counts_as_it_is_now(session: Session) -> None:
    revision, ada, bob = make_problem(session), make_user(session), make_user(session)
    rejudged, removed = (send(session, user, revision, "accepted") for user in (ada, bob))
    recount(session)
    before = read(session, revision.problem_id)
    make_judging(session, rejudged.id, verdict="wrong_answer")
    session.execute(delete(Submission).where(Submission.id == removed.id))
    recount(session)

    assert before == (2, 2, 2, 2)
    assert read(session, revision.problem_id) == (1, 1, 0, 0)


def test_one_process_counts_and_not_again_at_once(database: Database) -> None:
    with database.transaction() as session:
        make_problem(session)

    first, second = recount_if_due(database), recount_if_due(database)
    with database.transaction() as session:
        session.execute(update(SolveCount).values(counted_at=func.now() - EVERY))
    third = recount_if_due(database)

    assert (first, second, third) == (True, False, True)


def test_rates_are_told_from_five_students_and_from_ten_submissions_on(session: Session) -> None:
    revision = publish(session, make_package())

    def told_after(number: int, accepted: int) -> tuple[float | None, float | None] | None:
        session.execute(delete(Submission))
        for place in range(number):
            send(session, make_user(session), revision, "accepted" if place < accepted else "wrong_answer")
        recount(session)
        session.expire_all()
        found = get_problem(session, "scaled_sum").attempts
        return (found.solve_rate, found.acceptance_rate) if found else None

    assert told_after(4, 3) is None
    assert told_after(5, 3) == (0.6, None)
    assert told_after(9, 4) == (4 / 9, None)
    assert told_after(10, 4) == (0.4, 0.4)
