import time
from datetime import timedelta

import pytest

from app.accounts.rate_limit import Throttle, TooOften


def test_uses_are_counted_per_key_up_to_the_amount() -> None:
    throttle = Throttle(2, timedelta(minutes=1), "requests")
    throttle.use("user", "ada")
    throttle.use("user", "ada")
    throttle.use("user", "grace")

    with pytest.raises(TooOften, match=r"More than 2 requests in 1 minute\. Try again in") as caught:
        throttle.use("user", "ada")
    assert 0 < caught.value.retry_after.total_seconds() <= 61


def test_a_refused_use_does_not_push_the_end_of_the_wait_away() -> None:
    throttle = Throttle(1, timedelta(minutes=1), "requests")
    throttle.use("ada")
    waits = []
    for _ in range(3):
        with pytest.raises(TooOften) as caught:
            throttle.use("ada")
        waits.append(caught.value.retry_after)

    assert waits == sorted(waits, reverse=True)


def test_a_use_that_has_left_the_window_makes_room_for_one_more() -> None:
    throttle = Throttle(2, timedelta(seconds=0.2), "requests")
    throttle.use("ada")
    time.sleep(0.12)
    throttle.use("ada")
    time.sleep(0.12)

    throttle.use("ada")

    with pytest.raises(TooOften):
        throttle.use("ada")
    assert throttle.read("ada").remaining == 0
    time.sleep(0.25)
    assert throttle.read("ada").remaining == 2


def test_keys_without_recent_uses_are_forgotten() -> None:
    throttle = Throttle(1, timedelta(seconds=0.01), "requests")
    for number in range(100):
        throttle.use(str(number))
    time.sleep(0.02)

    throttle.use("ada")

    assert list(throttle._uses) == [("ada",)]
