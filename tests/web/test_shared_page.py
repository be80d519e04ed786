"""Visitors who ask for the same page at the same moment share its rendering, and get no outdated page."""

import asyncio
import threading
from collections.abc import Callable

from fastapi import Response
from fastapi.testclient import TestClient

from app.catalog.publish import publish
from app.database.engine import Database
from app.web.shared_page import SharedPages
from tests.catalog.packages import make_listed


def test_readers_who_ask_during_a_rendering_share_the_next_one() -> None:
    begun, go_on = threading.Event(), threading.Event()
    made: list[str] = []

    def make() -> Response:
        begun.set()
        assert go_on.wait(10)
        made.append("page")
        return Response(str(len(made)), headers={"Cache-Control": "no-store"})

    async def read_at_once() -> tuple[Response, list[Response], Response]:
        pages = SharedPages()
        first = asyncio.create_task(pages.render("/problems", make))
        await asyncio.to_thread(begun.wait, 10)
        later = [asyncio.create_task(pages.render("/problems", make)) for _ in range(20)]
        await asyncio.sleep(0)
        later.pop().cancel()
        go_on.set()
        return await first, await asyncio.gather(*later), await pages.render("/problems", make)

    first, later, last = asyncio.run(read_at_once())

    assert first.body == b"1"
    assert [page.body for page in later] == [b"2"] * 19
    assert {page.headers["cache-control"] for page in later} == {"no-store"}
    assert last.body == b"3"


def test_a_page_that_fails_fails_for_its_readers_only() -> None:
    def fail() -> Response:
        raise ZeroDivisionError

    async def read(make: Callable[[], Response]) -> list[Response | BaseException]:
        return await asyncio.gather(*(pages.render("/problems", make) for _ in range(3)), return_exceptions=True)

    async def read_twice() -> tuple[list[Response | BaseException], list[Response | BaseException]]:
        return await read(fail), await read(lambda: Response("page"))

    pages = SharedPages()
    failed, shown = asyncio.run(read_twice())

    assert [type(each) for each in failed] == [ZeroDivisionError] * 3
    assert [each.body for each in shown if isinstance(each, Response)] == [b"page"] * 3


def test_the_list_of_problems_follows_each_change(anyone: TestClient, database: Database) -> None:
    before = anyone.get("/problems")
    with database.transaction() as session:
        publish(session, make_listed("alone", ""))
    after, other = anyone.get("/problems"), anyone.get("/problems?tag=nothing-like-it")

    assert "/problems/alone" not in before.text
    assert "/problems/alone" in after.text
    assert "/problems/alone" not in other.text
    assert after.headers["content-type"] == before.headers["content-type"] == "text/html; charset=utf-8"
