"""The notice for a student whose judging no worker has for now."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import func, select, update

from app.database.engine import Database
from app.queue.heartbeat import Capacity, forget_dead
from app.queue.lease_loop import LeaseLoop
from app.queue.model import WorkerRow
from app.submissions.judging_record import JudgingClaim, finish
from app.submissions.queue_wait import LOST, NO_BOX, NO_WORKER
from tests.factories import make_judging, make_submission, make_worker, view_submission
from tests.queue.fleet import wait_until
from tests.queue.test_lease_loop import ACCEPTED, BY_NOTIFY_ONLY
from tests.transaction import commit, fetch_all

LATER = datetime.now(UTC) + timedelta(days=1)


def notice(database: Database, **columns: Any) -> str | None:
    with database.transaction() as session:
        submission = make_submission(session)
        make_judging(session, submission.id, **columns)
        return view_submission(session, submission).notice


def workers(database: Database) -> list[WorkerRow]:
    return fetch_all(database, select(WorkerRow))


def test_without_a_worker_of_its_queue_a_submission_is_told_that_it_waits(database: Database) -> None:
    commit(database, make_worker, "cpu")

    said = notice(database, queue="gpu")

    assert (
        said == "No GPU worker is running now: your submission waits in the queue and will be judged when one starts."
    )


def test_without_any_worker_the_same_is_said_of_the_cpu_queue(database: Database) -> None:
    assert notice(database) == NO_WORKER.format(kind="worker")


def test_a_submission_is_told_that_no_worker_has_its_framework(database: Database) -> None:
    commit(database, make_worker, "cpu", lacks=["triton"])

    alone = notice(database, frameworks=["triton", "torch"])
    commit(database, make_worker, "cpu")

    assert alone == NO_WORKER.format(kind="worker with triton")
    assert notice(database, frameworks=["triton", "torch"]) is None


def test_a_submission_is_told_that_its_worker_can_not_open_boxes(database: Database) -> None:
    commit(database, make_worker, "cpu", box_failure="the machine has too much to do")

    alone = notice(database)
    commit(database, make_worker, "cpu")

    assert alone == NO_BOX.format(kind="worker")
    assert notice(database) is None


def test_with_a_worker_of_its_queue_nothing_is_said(database: Database) -> None:
    commit(database, make_worker, "cpu", "gpu")

    assert (notice(database), notice(database, queue="gpu")) == (None, None)


def test_a_worker_that_was_not_seen_for_a_lease_is_none(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")
        session.execute(update(WorkerRow).values(seen_at=func.now() - timedelta(seconds=16)))

    assert notice(database) is not None


@pytest.mark.parametrize(
    "columns",
    [
        {"verdict": "accepted"},
        {"attempt": 1, "lease_until": LATER},
    ],
    ids=["done", "held"],
)
def test_what_is_judged_needs_no_notice(database: Database, columns: dict[str, Any]) -> None:
    assert notice(database, **columns) is None


def test_a_judging_whose_lease_has_run_out_waits_like_any_other(database: Database) -> None:
    gone = datetime.now(UTC) - timedelta(seconds=1)

    alone = notice(database, attempt=1, lease_until=gone)
    commit(database, make_worker, "cpu")

    assert alone == NO_WORKER.format(kind="worker")
    assert notice(database, attempt=1, lease_until=gone) == LOST


def test_a_worker_is_known_while_it_runs_and_gone_when_it_has_stopped(database: Database) -> None:
    facts: dict[str, Any] = {"device": "gpu", "gpus": ("NVIDIA H200",), "lacks": ("triton",)}
    capacity = Capacity(queues=("gpu",), slots=2, versions={"allclose": "0.1"}, **facts)
    loop = LeaseLoop(database, capacity, JudgingClaim, lambda *_: None, BY_NOTIFY_ONLY)

    loop.start()
    wait_until(lambda: workers(database))
    (row,) = workers(database)
    loop.drain()

    assert (row.id, row.queues, row.slots, row.device) == (capacity.id, ["gpu"], 2, "gpu")
    assert (row.gpus, row.lacks, row.versions) == (["NVIDIA H200"], ["triton"], {"allclose": "0.1"})
    assert workers(database) == []


def test_a_draining_worker_is_not_listed_as_available(database: Database) -> None:
    commit(database, make_judging)
    going, end = threading.Event(), threading.Event()

    def run(claim: JudgingClaim, _: threading.Event) -> None:
        going.set()
        end.wait(60)
        finish(database, claim, ACCEPTED)

    loop = LeaseLoop(database, Capacity(queues=("cpu",), slots=1), JudgingClaim, run)
    loop.start()
    going.wait(60)
    drain = threading.Thread(target=loop.drain)
    drain.start()
    wait_until(lambda: not workers(database))
    end.set()
    drain.join(60)

    assert not drain.is_alive()


def test_workers_that_were_killed_are_forgotten_after_a_day(database: Database) -> None:
    with database.transaction() as session:
        make_worker(session, "cpu")
        session.execute(update(WorkerRow).values(seen_at=func.now() - timedelta(days=2)))
        lately = make_worker(session, "cpu")

    forget_dead(database)

    assert [row.id for row in workers(database)] == [lately.id]
