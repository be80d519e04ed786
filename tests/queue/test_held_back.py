"""The successor of a worker that an admin has drained."""

import os
import socket
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import func

from app.admin.worker import WorkerView, drain, list_workers, resume
from app.database.engine import Database
from app.queue.heartbeat import Capacity, appear, leave
from tests.factories import make_worker
from tests.rejudging.rows import make_actor
from tests.transaction import commit

HERE = socket.gethostname()


def seen(database: Database) -> list[WorkerView]:
    return commit(database, list_workers)


def told(database: Database) -> dict[str, str]:
    return {worker.name: worker.state for worker in seen(database)}


def begin(database: Database, worker: str = "new:1", queue: str = "cpu") -> bool:
    """Start a worker here, and return whether it is drained."""
    return commit(database, appear, Capacity(queues=(queue,), slots=1, worker=worker))


def held_back(database: Database, queue: str = "cpu", **columns: Any) -> None:
    """A drained worker that has ended."""
    commit(database, make_worker, queue, **{"host": HERE, "name": "old:999999999", "is_draining": True} | columns)


def test_one_that_is_stopped_and_started_is_held_back_too(database: Database) -> None:
    old = Capacity(queues=("cpu",), slots=1, worker="old:999999999")
    with database.transaction() as session:
        appear(session, old)
        drain(session, make_actor(session), old.id)
    commit(database, leave, old)

    assert begin(database)
    assert told(database) == {"new:1": "draining"}


def test_one_that_has_the_same_name_again_is_held_back(database: Database) -> None:
    held_back(database, name=f"here:{os.getpid()}")

    assert begin(database, worker=f"here:{os.getpid()}")
    assert told(database) == {f"here:{os.getpid()}": "draining"}


@pytest.mark.parametrize(
    "columns",
    [{"host": "elsewhere"}, {"name": f"beside:{os.getpid()}"}, {"queue": "gpu"}, {"is_draining": False}],
    ids=["of another host", "that still runs", "of another queue", "that was not held back"],
)
def test_a_new_worker_is_not_held_back_for_another_one(database: Database, columns: dict[str, Any]) -> None:
    held_back(database, **columns)

    assert not begin(database)
    assert len(seen(database)) == 2


def test_a_host_that_is_held_back_is_not_forgotten(database: Database) -> None:
    held_back(database, seen_at=func.now() - timedelta(days=30))
    begin(database, queue="gpu")

    assert told(database) == {"new:1": "alive", "old:999999999": "away"}
    assert begin(database, worker="new:2")


def test_resuming_one_that_is_away_lets_the_next_take_judgings(database: Database) -> None:
    held_back(database, seen_at=func.now() - timedelta(minutes=1))

    with database.transaction() as session:
        resume(session, make_actor(session), list_workers(session)[0].id)

    assert told(database) == {}
    assert not begin(database)
