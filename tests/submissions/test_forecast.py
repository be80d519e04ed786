"""The estimate of a submission's remaining time."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func
from sqlalchemy.orm import Session

from app.catalog.model import Revision
from app.queue.model import BACKGROUND
from app.submissions.queue_wait import Forecast, forecast
from app.submissions.view import Mode, Wait
from tests.factories import make_judging, make_prepared, make_problem, make_submission, make_worker


def make_done(session: Session, revision: Revision, seconds: float, mode: Mode = "submit", **columns: Any) -> None:
    """A judging that took so long."""
    now = func.now()
    usual = {"verdict": "accepted", "finished_at": now}
    submission = make_submission(session, revision=revision, mode=mode)
    make_judging(session, submission.id, started_at=now - timedelta(seconds=seconds), **usual | columns)


def make_running(session: Session, revision: Revision) -> None:
    now = func.now()
    submission = make_submission(session, revision=revision)
    lease = {"lease_until": now + timedelta(seconds=15), "attempt": 1}
    make_judging(session, submission.id, started_at=now, **lease)


def wait(session: Session, revision: Revision, mode: Mode = "submit", **columns: Any) -> Wait:
    submission = make_submission(session, revision=revision, mode=mode)
    waiting = forecast(session, submission, make_judging(session, submission.id, **columns)).wait
    assert waiting is not None
    return waiting


def test_with_a_free_slot_it_takes_what_such_submissions_took_lately(session: Session) -> None:
    make_worker(session, "cpu", slots=2)
    quick, slow = make_problem(session), make_problem(session)
    make_prepared(session, quick)
    for seconds in (2, 4, 60):
        make_done(session, quick, seconds)
    make_done(session, quick, 1, mode="sample")
    make_done(session, slow, 30)
    make_done(session, quick, 1000, verdict="judge_error")
    make_running(session, slow)

    whole, samples = wait(session, quick), wait(session, quick, mode="sample", priority=1)

    assert (whole.ahead, whole.seconds) == (0, 4)
    assert (samples.ahead, samples.seconds) == (0, 1)


def test_what_stands_before_it_is_shared_by_the_slots(session: Session) -> None:
    make_worker(session, "cpu", slots=2)
    problem = make_problem(session)
    make_prepared(session, problem)
    make_done(session, problem, 10)
    for _ in range(2):
        make_running(session, problem)
    for priority in (0, 0, 1):
        wait(session, problem, priority=priority)
    wait(session, problem, priority=-1)
    wait(session, problem, queue="gpu")

    last = wait(session, problem)

    # Two that are half done and three that wait, in two slots, and then itself.
    assert (last.ahead, last.seconds) == (3, (2 * 5 + 3 * 10) / 2 + 10)


def test_nothing_is_promised_before_the_problem_and_the_variant_are_known(session: Session) -> None:
    make_worker(session, "cpu")
    measured, never_judged = make_problem(session), make_problem(session)
    make_prepared(session, never_judged)
    make_done(session, measured, 8)

    assert wait(session, never_judged).seconds is None
    assert wait(session, measured).seconds is None  # the reference runs first, and takes unknown time
    make_prepared(session, measured)
    assert wait(session, measured, priority=1).seconds == 8


def test_nothing_is_promised_without_measured_times_or_a_worker(session: Session) -> None:
    problem = make_problem(session)
    make_prepared(session, problem)
    with_worker_only = make_worker(session, "cpu")
    assert wait(session, problem).seconds is None

    make_done(session, problem, 8)
    session.delete(with_worker_only)
    session.flush()
    assert wait(session, problem).seconds is None


@pytest.mark.parametrize(("began", "left"), [(2, 6), (30, None)])
def test_of_one_that_is_judged_the_rest_is_told_and_nothing_once_it_is_late(
    session: Session, began: float, left: float | None
) -> None:
    make_worker(session, "cpu")
    problem = make_problem(session)
    make_prepared(session, problem)
    make_done(session, problem, 8)
    now = func.now()
    running: dict[str, Any] = {"attempt": 1, "lease_until": now + timedelta(seconds=15)}

    told = wait(session, problem, started_at=now - timedelta(seconds=began), **running)

    assert (told.ahead, told.seconds) == (0, left)


def test_of_one_that_is_done_nothing_is_told(session: Session) -> None:
    submission = make_submission(session)
    judging = make_judging(session, submission.id, verdict="accepted")

    assert forecast(session, submission, judging) == Forecast()


def test_what_is_judged_again_is_never_ahead_and_holds_no_slot(session: Session) -> None:
    make_worker(session, "cpu")
    problem = make_problem(session)
    make_prepared(session, problem)
    make_done(session, problem, 8)
    running = {"lease_until": func.now() + timedelta(seconds=15), "started_at": func.now()}
    for columns in ({}, running):
        submission = make_submission(session, revision=problem)
        make_judging(session, submission.id, priority=BACKGROUND, **columns)

    told = wait(session, problem)

    assert (told.ahead, told.seconds) == (0, 8)
