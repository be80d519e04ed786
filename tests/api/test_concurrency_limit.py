import asyncio

import pytest

from app.api.concurrency_limit import AT_ONCE, MOST_WAITING, ConcurrencyLimit
from app.errors import LimitReached


def test_a_flood_waits_in_turn_and_its_rest_is_refused_at_once() -> None:
    async def flood() -> tuple[list[int], int, list[bool]]:
        limit, running, refused = ConcurrencyLimit(), 0, 0
        seen: list[int] = []

        async def one() -> bool:
            nonlocal running, refused
            try:
                async with limit.turn():
                    running += 1
                    seen.append(running)
                    await asyncio.sleep(0.001)
                    running -= 1
            except LimitReached:
                refused += 1
                return False
            return True

        served = await asyncio.gather(*(one() for _ in range(AT_ONCE + MOST_WAITING + 7)))
        assert await one(), "there is room again after the flood"
        return seen, refused, served

    seen, refused, served = asyncio.run(flood())

    assert max(seen) == AT_ONCE
    assert (sum(served), refused) == (AT_ONCE + MOST_WAITING, 7)


def test_a_turn_is_given_back_after_a_failure() -> None:
    async def fail_often() -> None:
        limit = ConcurrencyLimit()
        for _ in range(AT_ONCE + 1):
            with pytest.raises(ZeroDivisionError):
                async with limit.turn():
                    raise ZeroDivisionError

    asyncio.run(asyncio.wait_for(fail_often(), 5))
