import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from sqlalchemy import select, text

from app.database.engine import Database
from app.engine.boxes import Pools
from app.submissions.cancel import cancel
from app.submissions.model import Judging, Submission
from app.submissions.view_query import read_phases
from sandbox.interface import Launcher
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, STANDARDISE, Bench, Listening, database_away

CASES = [case.name for case in STANDARDISE.manifest.cases]
SLOW = REFERENCE.replace("    return", "    __import__('time').sleep(0.5)\n    return")

# No result can be written while the judging runs; its end can.
NO_PROGRESS = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF EXISTS (SELECT FROM jobs WHERE judging_id = NEW.judging_id) THEN
            RAISE EXCEPTION 'terminating connection' USING ERRCODE = 'admin_shutdown';
        END IF;
        RETURN NEW;
    END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON case_results FOR EACH ROW EXECUTE FUNCTION refuse();
"""


def times_away(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.name == "app.database.engine" for record in caplog.records)


def test_a_result_that_could_not_be_shown_costs_no_attempt_and_is_there_at_the_end(bench: Bench) -> None:
    with bench.database.transaction() as session:
        session.execute(text(NO_PROGRESS))

    judging = bench.judge(bench.publish())

    assert (judging.verdict, judging.attempt, judging.reason) == ("accepted", 1, None)
    assert bench.case_names() == CASES


def test_a_judging_tells_where_its_time_went(bench: Bench) -> None:
    judging = bench.judge(bench.publish())

    phases = {phase.name: phase.seconds for phase in read_phases(judging)}
    assert list(phases) == ["queued", "preparing", "box", "running", "again", "checking"]
    assert None not in phases.values()
    # Hidden cases ran, and what they took is told in tenths of a second.
    assert all(round((phases[name] or 0) * 10, 6).is_integer() for name in ("running", "again", "checking"))


def test_a_judging_does_not_wait_until_its_progress_is_written(bench: Bench) -> None:
    bench.send(bench.publish())
    claim = bench.claim()

    with ThreadPoolExecutor(1) as thread:
        with bench.database.transaction() as session:
            session.execute(select(Judging.id).with_for_update()).one()  # so no progress can be written
            judged = thread.submit(bench.worker().judge, claim, threading.Event())
            wait_until(lambda: bench.pool.leases == 3)  # of the reference and of both runs
        judged.result()

    assert bench.judging().verdict == "accepted"
    assert bench.case_names() == CASES


def test_a_submission_that_is_cancelled_ends_in_its_box_and_the_next_one_is_judged(bench: Bench) -> None:
    revision = bench.publish()
    endless = bench.send(revision, "while True: pass\n")

    with bench.loop():
        wait_until(lambda: _is_running(bench, endless))
        with bench.database.transaction() as session:
            cancel(session, session.scalars(select(Submission)).one())
        honest = bench.send(revision)
        wait_until(lambda: _read(bench, honest).state == "done")

    assert (_read(bench, endless).verdict, _read(bench, honest).verdict) == ("cancelled", "accepted")


def _is_running(bench: Bench, judging_id: int) -> bool:
    return read_phases(_read(bench, judging_id))[-1].name == "running"


def _read(bench: Bench, judging_id: int) -> Judging:
    with bench.database.transaction() as session:
        return session.get_one(Judging, judging_id)


def test_a_worker_that_is_stopped_does_not_wait_for_a_database_that_is_away(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.send(bench.publish(), SLOW)

    with bench.loop() as loop:
        wait_until(bench.case_names)
        with database_away(bench.database):
            wait_until(lambda: times_away(caplog) >= 2)
            stop = threading.Thread(target=loop.stop, daemon=True)
            stop.start()
            stop.join(10)

            assert not stop.is_alive()


def test_a_reference_never_runs_where_a_submission_does(database: Database, launcher: Launcher) -> None:
    solution = f"{REFERENCE}\n# of a student\n"
    with closing(Listening(launcher)) as students, closing(Listening(launcher)) as references:
        bench = Bench(database, references)
        bench.send(bench.publish(), solution)
        bench.worker(pools=Pools(students=students, inspectors=students)).judge(bench.claim(), threading.Event())

    assert bench.judging().verdict == "accepted"
    assert {request.source for request in students.requests} == {solution}
    asked = {request.source for request in references.requests}
    assert REFERENCE in asked
    assert solution not in asked
