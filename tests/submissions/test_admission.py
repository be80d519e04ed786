import threading
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import func

from app import limits
from app.accounts.model import User
from app.database.engine import Database
from app.errors import LimitReached
from app.limits import SubmissionLimit
from app.queue.model import BACKGROUND
from app.submissions.queue_wait import CAUTION, SHORT, Backlog, QueueWaits
from app.submissions.quota import SubmitLimits
from app.submissions.submit import Submit, submit
from tests.factories import make_judging, make_problem, make_submission, make_user, make_worker
from tests.submissions.test_forecast import make_done

LIMITS = SubmitLimits(max_pending=20, max_queue_minutes=10)


@pytest.fixture
def wanted(database: Database) -> Submit:
    """A request for a problem whose judgings take 60 s, with one worker of two slots."""
    with database.transaction() as session:
        revision = make_problem(session, "slow")
        make_problem(session, "large", limits={"gpu": True})
        make_worker(session, "cpu", slots=2)
        make_done(session, revision, 60)
        return Submit(user_id=make_user(session).id, slug="slow", source="def slow(): ...", mode="submit")


def fill(database: Database, count: int, **columns: Any) -> None:
    """Make judgings that have waited for an hour."""
    usual = {"queued_at": func.now() - timedelta(hours=1)}
    with database.transaction() as session:
        for _ in range(count):
            make_judging(session, make_submission(session).id, **usual | columns)


def send(database: Database, wanted: Submit) -> None:
    waits = QueueWaits(database)
    waits.read()
    with database.transaction() as session:
        submit(session, wanted, replace(LIMITS, waits=waits))


def check(waits: QueueWaits, slug: str, user_id: UUID, max_minutes: int) -> None:
    waits.check(waits.find_queue(slug), user_id, max_minutes)


def test_a_long_queue_takes_no_more_and_says_when_to_come_back(database: Database, wanted: Submit) -> None:
    fill(database, SHORT)
    send(database, wanted)
    fill(database, 9)

    with pytest.raises(LimitReached, match="would wait 18 min, and the limit is 10 min") as refused:
        send(database, wanted)

    assert refused.value.retry_after == timedelta(minutes=8)
    send(database, replace(wanted, slug="large"))  # the queue for GPUs is empty


def test_a_queue_first_becomes_half_as_long_and_grows_as_it_waits(database: Database, wanted: Submit) -> None:
    fill(database, 30, queued_at=func.now() - timedelta(minutes=2))
    waits = QueueWaits(database)
    waits.read()

    with pytest.raises(LimitReached, match="would wait 18 min, and the limit is 17"):
        check(waits, wanted.slug, wanted.user_id, 30)

    check(waits, wanted.slug, wanted.user_id, 33)


def test_background_work_keeps_nobody_out(database: Database, wanted: Submit) -> None:
    fill(database, 100, priority=BACKGROUND)

    send(database, wanted)


def test_a_queue_without_a_worker_takes_submissions(database: Database, wanted: Submit) -> None:
    fill(database, 100, queue="gpu")

    send(database, replace(wanted, slug="large"))


def test_a_full_queue_is_known_before_a_submission_is_looked_at(database: Database, wanted: Submit) -> None:
    fill(database, 30)
    waits = QueueWaits(database)
    assert not waits.is_fresh()
    waits.read()

    with pytest.raises(LimitReached, match="would wait 18 min, and the limit is 10 min"):
        check(waits, wanted.slug, wanted.user_id, 10)

    check(waits, wanted.slug, wanted.user_id, 18)
    check(waits, "large", wanted.user_id, 10)  # the queue for GPUs is empty
    check(waits, "unknown", wanted.user_id, 10)  # a 404 comes later


def test_users_with_many_submissions_keep_no_newcomer_out(database: Database, wanted: Submit) -> None:
    with database.transaction() as session:
        for user in (make_user(session), make_user(session)):
            for _ in range(20):
                make_judging(session, make_submission(session, user).id)

    assert QueueWaits(database).read()["cpu"].estimate_wait(0) == 2 * CAUTION * 60 / 2
    send(database, wanted)


def test_a_wait_is_estimated_while_other_threads_accept_submissions() -> None:
    backlog = Backlog(waiting=Counter({uuid4(): 1 for _ in range(1000)}), seconds_each=1.0, oldest_seconds=0)

    def add() -> None:
        for _ in range(30_000):
            backlog.waiting[uuid4()] += 1

    adding = threading.Thread(target=add)
    adding.start()
    while adding.is_alive():
        backlog.estimate_wait(0)

    assert backlog.estimate_wait(0) == 31_000


def test_a_user_with_many_unfinished_submissions_is_refused_before_a_newcomer(
    database: Database, wanted: Submit
) -> None:
    with database.transaction() as session:
        newcomer, user = make_user(session).id, session.get_one(User, wanted.user_id)
        for _ in range(7):
            make_judging(session, make_submission(session, user).id)
    fill(database, 14)
    waits = QueueWaits(database)
    waits.read()

    # Before the user's next one, the worker may judge 7 of each of 15 users, 2 a minute.
    with pytest.raises(LimitReached, match="would wait 63 min"):
        check(waits, wanted.slug, wanted.user_id, 62)
    with pytest.raises(LimitReached, match="would wait 63 min"):
        send(database, wanted)

    check(waits, wanted.slug, newcomer, 11)


def test_recent_judging_makes_the_wait_longer(database: Database, wanted: Submit) -> None:
    with database.transaction() as session:
        user, problem = session.get_one(User, wanted.user_id), make_problem(session)
        ended = {"verdict": "accepted", "finished_at": func.now()}
        for _ in range(2):
            done = make_submission(session, user, problem)
            make_judging(session, done.id, started_at=func.now() - timedelta(seconds=60), **ended)
        for other in (make_user(session), make_user(session)):
            for _ in range(20):
                make_judging(session, make_submission(session, other, problem).id)

    # 12 steps for 120 s: 13 of each of 2 users come first.
    with pytest.raises(LimitReached, match="would wait 16 min"):
        send(database, wanted)


def test_a_request_that_was_admitted_before_is_not_checked_again(database: Database, wanted: Submit) -> None:
    fill(database, 30)

    send(database, replace(wanted, is_admitted=True))

    with pytest.raises(LimitReached, match="would wait"):
        send(database, wanted)


def test_a_limit_that_is_switched_off_for_a_kind_of_submission_refuses_none(
    database: Database, wanted: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(database, 30)
    monkeypatch.setitem(limits.LIMITS_OF, wanted.kind, frozenset({SubmissionLimit.SENT}))

    send(database, wanted)


def test_submissions_that_were_just_accepted_count_at_once(database: Database, wanted: Submit) -> None:
    fill(database, SHORT + 1)
    waits = QueueWaits(database)
    known = waits.read()
    limits = replace(LIMITS, max_queue_minutes=14, waits=waits)

    with database.transaction() as session:
        submit(session, wanted, limits)
        submit(session, wanted, limits)
        with pytest.raises(LimitReached):
            submit(session, wanted, limits)

    assert known["cpu"].waiting.total() == SHORT + 3


@pytest.mark.parametrize(("waiting_minutes", "seconds_each"), [(30, 60), (15, 5)])
def test_a_queue_that_was_never_empty_is_as_quick_as_its_judgings_ended(
    database: Database, waiting_minutes: float, seconds_each: float
) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu", slots=2)
        for minutes in range(50):
            ended = func.now() - timedelta(minutes=minutes)
            times = {"started_at": ended - timedelta(seconds=10), "finished_at": ended}
            make_judging(session, make_submission(session).id, verdict="accepted", **times)
    fill(database, 30, queued_at=func.now() - timedelta(minutes=waiting_minutes))

    assert QueueWaits(database).read()["cpu"].seconds_each == pytest.approx(CAUTION * seconds_each, rel=0.05)
