"""The cost of accepted solutions and of the reference, measured where they were judged."""

import threading

from sqlalchemy import select

from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.worker.middleware import with_middleware
from app.worker.run_cost import RUNS
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, Bench

WRONG = "def standardise(x):\n    return x\n"


def measured(bench: Bench) -> list[Measurement]:
    with bench.database.transaction() as session:
        return list(session.scalars(select(Measurement)))


def references(bench: Bench) -> list[ReferenceMeasurement]:
    with bench.database.transaction() as session:
        return list(session.scalars(select(ReferenceMeasurement)))


def test_accepted_solutions_are_measured_and_the_reference_so_often_and_no_more(bench: Bench) -> None:
    cost_recorder, revision = bench.cost_recorder(), bench.publish()
    cost_recorder.start()

    for source in (WRONG, *[REFERENCE] * (RUNS + 2)):
        bench.send(revision, source)
        with_middleware(bench.worker().judge, [cost_recorder])(bench.claim(), threading.Event())
    wait_until(lambda: len(measured(bench)) == RUNS + 2)
    cost_recorder.stop()

    (reference,) = references(bench)
    assert (reference.revision_id, reference.machine, reference.runs) == (revision.id, "here", RUNS)
    assert {each.machine for each in measured(bench)} == {"here"}
