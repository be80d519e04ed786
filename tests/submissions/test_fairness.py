from uuid import UUID

from sqlalchemy import select, update

from app.database.engine import Database
from app.submissions.model import Judging, Submission
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_problem, make_user

LIMITS = SubmitLimits(max_pending=1000)


def send(database: Database, user_id: UUID, times: int) -> None:
    request = Submit(user_id=user_id, slug="sums", source="def sums(): ...", mode="submit")
    with database.transaction() as session:
        for _ in range(times):
            submit(session, request, LIMITS)


def users_in_order(database: Database) -> list[UUID]:
    order = select(Submission.user_id).join(Judging, Judging.submission_id == Submission.id)
    with database.transaction() as session:
        return list(session.scalars(order.order_by(Judging.priority.desc(), Judging.id)))


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
        session.execute(update(Judging).values(state="done", verdict="accepted"))

    send(database, busy, 1)
    send(database, other, 1)

    assert users_in_order(database)[:3] == [busy, busy, other]


def test_a_waiting_submission_is_not_passed_by_users_who_come_later_without_end(database: Database) -> None:
    busy, other = make_users(database)
    send(database, busy, 3)
    with database.transaction() as session:
        first, second, last = session.scalars(select(Judging.id).order_by(Judging.priority.desc()))
        done = update(Judging).values(state="done", verdict="accepted")
        session.execute(done.where(Judging.id.in_([first, second])))

    send(database, other, 1)

    with database.transaction() as session:
        waiting = select(Judging.id).where(Judging.state == "queued")
        assert session.scalars(waiting.order_by(Judging.priority.desc(), Judging.id)).first() == last
