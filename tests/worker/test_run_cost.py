"""The cost of accepted solutions and of the reference, measured where they were judged."""

import threading
import time

import pytest
from sqlalchemy import select

from app.catalog.package import load_package, package_from_files
from app.settings import ROOT
from app.submissions.judging_record import JudgingClaim
from app.submissions.leaderboard import Measurement, ReferenceMeasurement
from app.worker.middleware import JudgingResult, with_middleware
from tests.queue.fleet import wait_until
from tests.worker.bench import REFERENCE, Bench, with_reference_line

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
    cost_recorder.start()

    for source in (WRONG, *[REFERENCE] * 2):
        bench.send(revision, source)
        with_middleware(bench.worker().judge, [cost_recorder])(bench.claim(), threading.Event())
    wait_until(lambda: len(measured(bench)) == 2 and len(references(bench)) == 1)
    cost_recorder.stop()

    (reference,) = references(bench)
    assert reference.revision_id == revision.id
    assert {each.machine for each in measured(bench)} == {reference.machine}
    assert reference.machine.startswith("here, ")


def test_the_reference_waits_until_no_judging_has_run_for_a_while(bench: Bench) -> None:
    cost_recorder, revision, worker = bench.cost_recorder(idle_seconds=0.5), bench.publish(), bench.worker()
    has_begun, may_end, ended_at = threading.Event(), threading.Event(), [0.0]
    bench.send(revision)
    first = bench.claim()
    bench.send(revision)
    second = bench.claim()

    def held_up(claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        has_begun.set()
        assert may_end.wait(60)
        judged = worker.judge(claim, abort)
        ended_at[0] = time.monotonic()
        return judged

    thread = threading.Thread(target=lambda: cost_recorder.around(held_up, second, threading.Event()))
    thread.start()
    assert has_begun.wait(60)
    cost_recorder.start()
    cost_recorder.around(worker.judge, first, threading.Event())
    wait_until(lambda: len(measured(bench)) == 1)
    time.sleep(1)  # longer than the idle time
    assert not references(bench)
    may_end.set()
    thread.join(60)

    wait_until(lambda: bool(references(bench)))
    assert time.monotonic() - ended_at[0] >= 0.5
    cost_recorder.stop()


@pytest.mark.whole
def test_the_reference_pauses_before_its_next_case_while_a_judging_runs(bench: Bench) -> None:
    slow = with_reference_line("import time; time.sleep(0.7)", slug="slow")
    cost_recorder, revision, worker = bench.cost_recorder(), bench.publish(slow), bench.worker()
    may_end = threading.Event()
    bench.send(revision)
    first = bench.claim()
    bench.send(revision)
    second = bench.claim()

    def held_up(claim: JudgingClaim, abort: threading.Event) -> JudgingResult:
        assert may_end.wait(60)
        return worker.judge(claim, abort)

    cost_recorder.around(worker.judge, first, threading.Event())
    cost_recorder.start()  # now the reference begins, with two cases or more to go
    time.sleep(0.5)
    thread = threading.Thread(target=lambda: cost_recorder.around(held_up, second, threading.Event()))
    thread.start()
    time.sleep(4)
    assert not references(bench)
    may_end.set()
    thread.join(60)

    wait_until(lambda: bool(references(bench)))
    cost_recorder.stop()


def test_a_kernel_that_an_interpreter_ran_in_place_of_a_gpu_is_judged_but_not_measured(bench: Bench) -> None:
    kernel = load_package(ROOT / "problems" / "vector_add_pallas")
    files = {**kernel.files, "problem.yaml": kernel.files["problem.yaml"].replace(*ON_GPU)}
    cost_recorder, revision = bench.cost_recorder(), bench.publish(package_from_files("kernel", files))
    cost_recorder.start()

    bench.send(revision, kernel.reference)
    judged = with_middleware(bench.worker().judge, [cost_recorder])(bench.claim(), threading.Event())
    cost_recorder.stop()

    assert revision.manifest["limits"]["gpu"]
    assert (judged.finish.verdict, measured(bench)) == ("accepted", [])
