"""A request that waits for the verdict: it ends with it, and costs no database connection meanwhile."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from uuid import UUID

import httpx
import pytest

from app.database.engine import Database
from tests.api.conftest import SignedIn
from tests.api.lease_steps import end, take


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(30) as pool:
        yield pool


def wait(pool: ThreadPoolExecutor, client: httpx.Client, submission: UUID) -> "Future[httpx.Response]":
    return pool.submit(client.get, f"/submissions/{submission}", params={"wait": 30})


def test_waiting_ends_without_a_verdict_when_the_time_is_up(ada: httpx.Client, submission: UUID) -> None:
    answer = ada.get(f"/submissions/{submission}", params={"wait": 1})

    assert (answer.status_code, answer.json()["state"]) == (200, "queued")


@pytest.mark.parametrize("seconds", ["-1", "61", "1.5", "soon", ""])
def test_a_wait_that_is_not_allowed_is_refused(ada: httpx.Client, submission: UUID, seconds: str) -> None:
    answer = ada.get(f"/submissions/{submission}", params={"wait": seconds})

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "wait"


def test_more_waiters_than_connections_leave_the_database_to_others(
    signed_in: SignedIn, ada: httpx.Client, database: Database, submission: UUID, pool: ThreadPoolExecutor
) -> None:
    waiting = [wait(pool, ada, submission) for _ in range(20)]

    assert signed_in("grace").get("/me").status_code == 200
    assert not any(answer.done() for answer in waiting)
    end(database, take(database))

    assert {answer.result().json()["state"] for answer in waiting} == {"done"}
