import asyncio
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI, Request

from app.api.request_limits import change_turn
from app.capacity import count_cores
from app.errors import LimitReached
from app.limits import CHANGES_PER_USER, ConcurrencyLimit, Limits


def test_a_flood_waits_in_turn_and_its_rest_is_refused_at_once() -> None:
    async def flood() -> tuple[list[int], int, list[bool]]:
        limit, running, refused = ConcurrencyLimit("submissions", at_once=4, most=30), 0, 0
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

        served = await asyncio.gather(*(one() for _ in range(37)))
        assert await one(), "there is room again after the flood"
        return seen, refused, served

    seen, refused, served = asyncio.run(flood())

    assert max(seen) == 4
    assert (sum(served), refused) == (30, 7)


def test_a_turn_is_given_back_after_a_failure() -> None:
    async def fail_often() -> None:
        limit = ConcurrencyLimit("submissions", at_once=1, most=1)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                async with limit.turn():
                    raise ZeroDivisionError

    asyncio.run(asyncio.wait_for(fail_often(), 5))


def test_keys_neither_wait_for_nor_refuse_each_other() -> None:
    async def run_two() -> None:
        limit = ConcurrencyLimit("sign-ins", at_once=1, most=1)
        async with limit.turn("ada"), limit.turn("eve"):
            with pytest.raises(LimitReached, match="Too many sign-ins at the same time; the limit is 1"):
                async with limit.turn("ada"):
                    pass

    asyncio.run(asyncio.wait_for(run_two(), 5))


def test_changes_of_one_user_run_a_few_at_a_time_and_delay_no_other_request() -> None:
    ada, eve, limits = uuid4(), uuid4(), Limits()

    async def flood() -> tuple[list[int], list[str]]:
        running, seen, ended = 0, [], []
        others_ended = asyncio.Event()

        async def call(user_id: UUID, method: str) -> None:
            nonlocal running
            async with change_turn(make_request(limits, user_id, method)):
                if user_id == ada and method == "PUT":
                    running += 1
                    seen.append(running)
                    await others_ended.wait()
                    running -= 1
                ended.append(method)

        changes = [asyncio.ensure_future(call(ada, "PUT")) for _ in range(3 * CHANGES_PER_USER)]
        await asyncio.sleep(0)
        await asyncio.gather(call(ada, "GET"), call(eve, "PUT"))
        others_ended.set()
        await asyncio.gather(*changes)
        return seen, ended

    seen, ended = asyncio.run(flood())

    assert max(seen) == CHANGES_PER_USER
    assert sorted(ended[:2]) == ["GET", "PUT"]
    assert len(ended) == 2 + 3 * CHANGES_PER_USER


def make_request(limits: Limits, user_id: UUID, method: str) -> Request:
    app, viewer = SimpleNamespace(state=SimpleNamespace(limits=limits)), SimpleNamespace(id=user_id)
    return Request({"type": "http", "method": method, "app": app, "state": {"viewer": viewer}})


def test_as_many_passwords_are_hashed_together_as_there_are_cores(app: FastAPI) -> None:
    async def hash_together(how_many: int) -> None:
        all_here = asyncio.Barrier(how_many)

        async def one() -> None:
            async with app.state.limits.sign_ups.turn():
                await all_here.wait()

        async with asyncio.timeout(2):
            await asyncio.gather(*(one() for _ in range(how_many)))

    asyncio.run(hash_together(count_cores()))
    with pytest.raises(TimeoutError):
        asyncio.run(hash_together(count_cores() + 1))
