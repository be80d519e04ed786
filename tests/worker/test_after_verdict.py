"""Jobs that run after the verdict."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from uuid import uuid4

import pytest

from app.submissions.judging_record import JudgingClaim
from app.worker.after_verdict import MOST_WAITING, AfterVerdict

CLAIM = JudgingClaim(job_id=1, judging_id=7, attempt=1, watched=uuid4())


@contextmanager
def busy(afterwork: AfterVerdict) -> Iterator[None]:
    """Meanwhile its thread is at one job."""
    has_begun, may_end = threading.Event(), threading.Event()

    def wait() -> None:
        has_begun.set()
        assert may_end.wait(60)

    assert afterwork.offer(CLAIM, wait)
    assert has_begun.wait(60)
    try:
        yield
    finally:
        may_end.set()


def test_jobs_are_done_in_their_order_and_one_that_fails_is_told(caplog: pytest.LogCaptureFixture) -> None:
    afterwork, done, is_done = AfterVerdict("test", "gets no prize"), [], threading.Event()
    afterwork.start()

    afterwork.offer(CLAIM, lambda: done.append("first"))
    afterwork.offer(CLAIM, lambda: done.append(str(1 // 0)))
    afterwork.offer(CLAIM, lambda: done.append("third"))
    afterwork.offer(CLAIM, is_done.set)
    assert is_done.wait(60)
    afterwork.stop()

    assert done == ["first", "third"]
    assert [record.getMessage() for record in caplog.records] == ["judging 7, attempt 1 gets no prize"]


def test_work_over_the_limit_is_refused_at_once() -> None:
    afterwork = AfterVerdict("test", "gets no prize")
    afterwork.start()

    with busy(afterwork):
        taken = [afterwork.offer(CLAIM, lambda: None) for _ in range(MOST_WAITING + 1)]
    afterwork.stop()

    assert taken == [True] * MOST_WAITING + [False]


@pytest.mark.parametrize("waiting", [1, MOST_WAITING])
def test_waiting_work_is_dropped_when_the_thread_stops(waiting: int) -> None:
    afterwork, done = AfterVerdict("test", "gets no prize"), list[int]()
    afterwork.start()

    with busy(afterwork):
        for number in range(waiting):
            afterwork.offer(CLAIM, partial(done.append, number))
        stopping = threading.Thread(target=afterwork.stop)
        stopping.start()
        assert afterwork.stopping.wait(60)
    stopping.join(60)

    assert not stopping.is_alive()
    assert done == []
