"""References and submissions never meet in a box."""

import threading
from contextlib import closing

from app.database.engine import Database
from app.engine.boxes import Pools
from app.engine.overload import OverloadWaits
from app.worker.expected import ExpectedOutputs
from app.worker.work import Works
from app.worker.worker import Lane, Lanes, Worker
from sandbox.interface import Launcher
from tests.worker.bench import REFERENCE, Bench, CountingPool, Listening

SOLUTION = REFERENCE + "\n# of a student\n"


def test_a_reference_never_runs_where_a_submission_does(
    database: Database, launcher: Launcher, pool: CountingPool
) -> None:
    bench = Bench(database, pool)
    bench.send(bench.publish(), SOLUTION)

    with closing(Listening(launcher)) as students, closing(Listening(launcher)) as references:
        expected = ExpectedOutputs(database, references, "cpu")
        pools = Pools(students=students, inspectors=students)
        lane = Lane(expected=expected, pools=pools)
        lanes = Lanes(interactive=lane, background=lane, overload_waits=OverloadWaits(slots=1))
        worker = Worker(database, Works(database), lanes, bench.hint_recorder())
        worker.judge(bench.claim(), threading.Event())

    assert bench.judging().verdict == "accepted"
    assert {request.source for request in students.requests} == {SOLUTION}
    asked = {request.source for request in references.requests}
    assert REFERENCE in asked
    assert SOLUTION not in asked
