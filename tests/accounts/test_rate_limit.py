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
