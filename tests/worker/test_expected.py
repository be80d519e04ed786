import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import delete, event, func, select, text

from app.catalog.model import ExpectedOutput
from app.database.engine import Database
from app.engine.prepare import PreparedCase
from app.worker.expected import ExpectedOutputs
from sandbox.interface import Aborted
from tests.queue.fleet import wait_until
from tests.worker.bench import STANDARDISE, Bench, changed, with_reference_line

# No two runs of this reference agree: it shows whose answers stand.
UNSTEADY = changed(
    "      return (x - x.mean())", "      import time\n      return np.float32(time.time_ns() % 2**24) + (x - x.mean())"
)
SLOW = with_reference_line("__import__('time').sleep(1)")


def open_transactions(database: Database) -> int:
    others = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()"
    )
    with database.transaction() as session:
        return int(session.execute(others).scalar_one())


def stored(database: Database) -> int:
    with database.transaction() as session:
        return session.execute(select(func.count()).select_from(ExpectedOutput)).scalar_one()


def test_two_workers_that_prepare_one_variant_at_once_judge_by_the_same_answers(bench: Bench) -> None:
    revision = bench.publish(UNSTEADY)
    together = threading.Barrier(2)

    def prepare(worker: ExpectedOutputs) -> tuple[PreparedCase, ...]:
        together.wait()
        return worker.get(revision, UNSTEADY, 0, threading.Event())

    with ThreadPoolExecutor(2) as workers:
        first, second = workers.map(prepare, [bench.expected(), bench.expected()])

    assert bench.pool.leases == 2
    assert first == second
    assert stored(bench.database) == len(first)


def test_judgings_of_one_worker_have_a_variant_computed_once(bench: Bench) -> None:
    revision, expected = bench.publish(UNSTEADY), bench.expected()

    with ThreadPoolExecutor(4) as judgings:
        got = list(judgings.map(lambda _: expected.get(revision, UNSTEADY, 0, threading.Event()), range(4)))

    assert bench.pool.leases == 1
    assert got == [got[0]] * 4


def test_no_transaction_is_open_while_the_reference_runs(bench: Bench) -> None:
    revision = bench.publish(SLOW)

    with ThreadPoolExecutor(1) as worker:
        cases = worker.submit(bench.expected().get, revision, SLOW, 0, threading.Event())
        wait_until(lambda: bench.pool.leases)
        seen = []
        while not cases.done():
            seen.append(open_transactions(bench.database))
            time.sleep(0.1)

    assert len(seen) > 5
    assert sum(seen) <= 1, "a moment to write the rows, and no longer"


def test_a_judging_that_waits_for_a_variant_of_another_judging_can_be_stopped(bench: Bench) -> None:
    revision, expected, stop = bench.publish(SLOW), bench.expected(), threading.Event()

    with ThreadPoolExecutor(2) as judgings:
        first = judgings.submit(expected.get, revision, SLOW, 0, threading.Event())
        wait_until(lambda: bench.pool.leases)
        second = judgings.submit(expected.get, revision, SLOW, 0, stop)
        stop.set()
        with pytest.raises(Aborted):
            second.result()

        assert not first.done()
        assert len(first.result()) == len(SLOW.manifest.cases)


def test_a_reference_that_failed_lets_the_next_one_try(bench: Bench) -> None:
    revision, expected = bench.publish(), bench.expected()
    stopped = threading.Event()
    stopped.set()

    with pytest.raises(Aborted):
        expected.get(revision, STANDARDISE, 0, stopped)

    assert len(expected.get(revision, STANDARDISE, 0, threading.Event())) == len(STANDARDISE.manifest.cases)


def test_a_variant_that_was_used_lately_is_not_read_again(bench: Bench) -> None:
    revision, expected, statements = bench.publish(STANDARDISE), bench.expected(), list[str]()
    expected.get(revision, STANDARDISE, 0, threading.Event())
    first = expected.get(revision, STANDARDISE, 0, threading.Event())
    event.listen(bench.database.engine, "before_cursor_execute", lambda *given: statements.append(given[2]))

    again = expected.get(revision, STANDARDISE, 0, threading.Event())

    assert again == first
    assert [each for each in statements if "inputs" in each] == []
    assert expected.get(revision, STANDARDISE, 1, threading.Event()) != first
    assert [each for each in statements if "inputs" in each] != []


def test_a_variant_that_a_restored_database_lacks_is_stored_again(bench: Bench) -> None:
    revision, expected = bench.publish(STANDARDISE), bench.expected()
    first = expected.get(revision, STANDARDISE, 0, threading.Event())
    assert expected.get(revision, STANDARDISE, 0, threading.Event()) == first
    with bench.database.transaction() as session:
        session.execute(delete(ExpectedOutput))

    assert expected.get(revision, STANDARDISE, 0, threading.Event()) == first

    assert stored(bench.database) == len(first)
