import threading
from datetime import timedelta

import pytest

from app.limits import RateLimit, RateLimitReached
from tests.clock import Clock


def test_uses_are_counted_per_key_up_to_the_amount() -> None:
    limit = RateLimit(2, timedelta(minutes=1), "requests")
    limit.use("user", "ada")
    limit.use("user", "ada")
    limit.use("user", "grace")

    with pytest.raises(RateLimitReached, match=r"More than 2 requests in 1 minute\. Try again in") as caught:
        limit.use("user", "ada")
    assert 0 < caught.value.retry_after.total_seconds() <= 61


def test_a_refused_use_does_not_push_the_end_of_the_wait_away() -> None:
    limit = RateLimit(1, timedelta(minutes=1), "requests")
    limit.use("ada")
    waits = []
    for _ in range(3):
        with pytest.raises(RateLimitReached) as caught:
            limit.use("ada")
        waits.append(caught.value.retry_after)

    assert waits == sorted(waits, reverse=True)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("app.limits.time", clock)
    return clock


def test_a_use_counts_until_it_leaves_the_window(clock: Clock) -> None:
    limit = RateLimit(2, timedelta(seconds=10), "requests")
    limit.use("ada")
    clock.now += 6
    limit.use("ada")
    with pytest.raises(RateLimitReached):
        limit.use("ada")

    clock.now += 5
    status = limit.read("ada")
    limit.use("ada")

    assert (status.limit, status.remaining, status.reset_at) == (2, 1, clock.now + 5)
    with pytest.raises(RateLimitReached):
        limit.use("ada")


def test_keys_that_were_not_used_in_the_window_are_forgotten(clock: Clock) -> None:
    limit = RateLimit(2, timedelta(seconds=10), "requests")
    for number in range(100):
        limit.use(str(number))
    clock.now += 11
    limit.check("7")
    limit.use("ada")

    assert list(limit._uses) == [("ada",)]


def test_threads_together_use_no_more_than_the_amount() -> None:
    limit, refused = RateLimit(500, timedelta(minutes=1), "requests"), []

    def use_often() -> None:
        for _ in range(100):
            try:
                limit.use("ada")
            except RateLimitReached:
                refused.append(1)

    threads = [threading.Thread(target=use_often) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 300
