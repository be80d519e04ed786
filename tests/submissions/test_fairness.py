from uuid import UUID

from sqlalchemy import select

from app.accounts.model import User
from app.database.engine import Database
from app.queue.model import Job
from app.submissions.model import Judging, Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import finish_judgings, make_problem, make_user

LIMITS = SubmitLimits(max_pending=1000)


def send(database: Database, user_id: UUID, times: int) -> None:
    request = Submit(user_id=user_id, slug="sums", source="def sums(): ...", mode="submit")
    with database.transaction() as session:
        for _ in range(times):
            submit(session, request, LIMITS)


def users_in_order(database: Database) -> list[UUID]:
    order = select(User.id).join(Submission, Submission.user_id == User.id).join(Job, Job.watched == Submission.id)
    with database.transaction() as session:
        return list(session.scalars(order.order_by(Job.priority.desc(), Job.id)))


def make_users(database: Database) -> tuple[UUID, UUID]:
    with database.transaction() as session:
        make_problem(session, "sums")
        return make_user(session).id, make_user(session).id


def test_a_hundred_submissions_of_one_user_do_not_hold_up_the_only_one_of_another_user(database: Database) -> None:
    busy, other = make_users(database)

    send(database, busy, 100)
    send(database, other, 1)

    assert users_in_order(database).index(other) == 1


def test_two_busy_users_take_turns(database: Database) -> None:
    first, second = make_users(database)

    send(database, first, 5)
    send(database, second, 5)

    assert users_in_order(database) == [first, second] * 5


def test_what_is_judged_no_longer_counts_against_a_user(database: Database) -> None:
    busy, other = make_users(database)
    send(database, busy, 100)
    with database.transaction() as session:
        finish_judgings(session)

    send(database, busy, 1)
    send(database, other, 1)

    assert users_in_order(database) == [busy, other]


def test_a_waiting_submission_is_not_passed_by_users_who_come_later_without_end(database: Database) -> None:
    busy, other = make_users(database)
    send(database, busy, 3)
    with database.transaction() as session:
        first, second, last = session.scalars(select(Job.judging_id).order_by(Job.priority.desc()))
        finish_judgings(session, "accepted", Judging.id.in_([first, second]))

    send(database, other, 1)

    with database.transaction() as session:
        assert session.scalars(select(Job.judging_id).order_by(Job.priority.desc(), Job.id)).first() == last
