"""The cost of accepted solutions and of the reference, measured where they were judged."""

import threading
from collections.abc import Callable

from sqlalchemy import select

from app.catalog.package import load_package, package_from_files
from app.settings import ROOT
from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.worker.middleware import with_middleware
from app.worker.run_cost import CostRecorder
from tests.worker.bench import REFERENCE, Bench

ON_GPU = (b"memory_mib: 1024}", b"memory_mib: 1024, gpu: true, interpreter: true}")
WRONG = "def standardise(x):\n    return x\n"


def measured(bench: Bench) -> list[Measurement]:
    with bench.database.transaction() as session:
        return list(session.scalars(select(Measurement)))


def references(bench: Bench) -> list[ReferenceMeasurement]:
    with bench.database.transaction() as session:
        return list(session.scalars(select(ReferenceMeasurement)))


def test_accepted_solutions_are_measured_and_the_reference_once(bench: Bench) -> None:
    cost_recorder, revision = bench.cost_recorder(), bench.publish()

    for source in (WRONG, *[REFERENCE] * 2):
        bench.send(revision, source)
        with_middleware(bench.worker().judge, [cost_recorder])(bench.claim(), threading.Event())

    assert len(measured(bench)) == 2
    (reference,) = references(bench)
    assert reference.revision_id == revision.id
    assert {each.machine for each in measured(bench)} == {reference.machine}
    assert reference.machine.startswith("here, ")


def test_the_reference_is_asked_for_once_until_it_has_run(bench: Bench) -> None:
    waiting: list[Callable[[threading.Event], object]] = []
    cost_recorder = CostRecorder(bench.database, bench.expected(), "here", lambda _, step: waiting.append(step))
    revision = bench.publish()

    for _ in range(2):
        bench.send(revision)
        cost_recorder.around(bench.worker().judge, bench.claim(), threading.Event())

    assert len(measured(bench)) == 2
    assert (len(waiting), references(bench)) == (1, [])
    waiting[0](threading.Event())
    assert len(references(bench)) == 1


def test_a_kernel_that_an_interpreter_ran_in_place_of_a_gpu_is_judged_but_not_measured(bench: Bench) -> None:
    kernel = load_package(ROOT / "problems" / "vector_add_pallas")
    files = {**kernel.files, "problem.yaml": kernel.files["problem.yaml"].replace(*ON_GPU)}
    cost_recorder, revision = bench.cost_recorder(), bench.publish(package_from_files("kernel", files))

    bench.send(revision, kernel.reference)
    judged = with_middleware(bench.worker().judge, [cost_recorder])(bench.claim(), threading.Event())

    assert revision.manifest["limits"]["gpu"]
    assert (judged.finish.verdict, measured(bench)) == ("accepted", [])
