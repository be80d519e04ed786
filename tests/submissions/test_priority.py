"""Recent seconds of judging lower a user's priority, and a user over the hourly limit is told when to submit again."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from app.accounts.model import User
from app.catalog.model import Revision
from app.errors import LimitReached
from app.queue.model import BACKGROUND, VISITOR
from app.rejudging.model import Rejudging
from app.submissions.model import Submission
from app.submissions.quota import SubmitLimits, find_reset
from app.submissions.submit import Submit, submit
from app.submissions.usage import PRIORITY_WINDOW, SECONDS_PER_STEP, compute_priority, list_judging_seconds, read_usage
from tests.factories import make_judging, make_problem, make_submission, make_user

LIMITS = SubmitLimits(max_pending=20, judging_seconds_per_hour=60)


def make_used(
    session: Session,
    user: User,
    seconds: float,
    ago: timedelta = timedelta(),
    revision: Revision | None = None,
    **columns: Any,
) -> Submission:
    """A submission that was sent so long ago, and took so long."""
    submission = make_submission(session, user, revision)
    at = func.now() - ago
    session.execute(update(Submission).where(Submission.id == submission.id).values(created_at=at))
    done = {"verdict": "accepted", "finished_at": at}
    make_judging(session, submission.id, started_at=at - timedelta(seconds=seconds), **done | columns)
    return submission


def send(session: Session, user_id: UUID) -> Submission:
    return submit(session, Submit(user_id=user_id, slug="sums", source="x = 1", mode="submit"), LIMITS)


def test_seconds_used_lately_count_like_submissions_that_wait(session: Session) -> None:
    user = make_user(session)
    assert compute_priority(read_usage(session, user.id), 0) == 0

    make_used(session, user, 3 * SECONDS_PER_STEP)
    make_used(session, user, 500, ago=PRIORITY_WINDOW + timedelta(seconds=1))
    make_judging(session, make_submission(session, user).id)

    assert compute_priority(read_usage(session, user.id), 0) == -(3 + 1)


def test_no_user_sinks_to_the_priority_of_background_work(session: Session) -> None:
    user = make_user(session)
    make_used(session, user, -BACKGROUND * SECONDS_PER_STEP * 2)

    assert compute_priority(read_usage(session, user.id), 0) == VISITOR + 1


def test_rejudgings_and_judge_errors_are_not_charged_to_the_user(session: Session) -> None:
    user = make_user(session)
    submission = make_used(session, user, 100, verdict="judge_error")
    rejudging = Rejudging(chosen={}, onto="own", total=1)
    session.add(rejudging)
    session.flush()
    again = {"rejudging_id": rejudging.id, "is_current": False, "verdict": "accepted"}
    times = {"started_at": func.now() - timedelta(seconds=9), "finished_at": func.now()}
    make_judging(session, submission.id, **again, **times)

    assert list_judging_seconds(session, user.id) == []


def test_what_is_judged_now_counts_as_far_as_it_is(session: Session) -> None:
    user = make_user(session)
    now = func.now()
    running = {"lease_until": now, "started_at": now - timedelta(seconds=7)}
    make_judging(session, make_submission(session, user).id, **running)

    ((_, seconds),) = list_judging_seconds(session, user.id)
    assert seconds == 7


def test_a_user_without_seconds_left_is_told_when_to_submit_again(session: Session) -> None:
    user, other = make_user(session), make_user(session)
    revision = make_problem(session, "sums")
    for minutes in (50, 30, 10):
        make_used(session, user, 30, timedelta(minutes=minutes), revision)
    now = session.scalars(select(func.now())).one()

    # With the first two gone, 30 s are left of the 60.
    assert find_reset(list_judging_seconds(session, user.id), 60) == now + timedelta(minutes=30)
    with pytest.raises(LimitReached, match=f"the limit is 60 s. Submit again at {now + timedelta(minutes=31):%H:%M}"):
        send(session, user.id)
    send(session, other.id)


def test_seconds_of_more_than_an_hour_ago_are_forgotten(session: Session) -> None:
    user = make_user(session)
    make_used(session, user, 1000, timedelta(minutes=61), make_problem(session, "sums"))

    send(session, user.id)
