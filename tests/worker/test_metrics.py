"""The worker's metrics, with a real box and a real database."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from unittest.mock import ANY

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import select

from app.queue.heartbeat import Capacity, appear
from app.queue.model import MAX_ATTEMPTS, WorkerRow
from app.submissions.judging_record import JudgingClaim
from app.worker.middleware import Judge, JudgingResult, with_middleware
from app.worker.telemetry import BoxTelemetry, JudgingTelemetry, Meter
from sandbox.box_middleware import LauncherWithMiddleware
from sandbox.interface import BoxLost, Launcher
from sandbox.pool import Pool
from tests.queue.fleet import wait_until
from tests.queue.test_lease_loop import BY_NOTIFY_ONLY, loop
from tests.worker.bench import Bench

Samples = dict[str, float]


def read(meter: Meter) -> Samples:
    """`name{label="value",…}` to its value."""
    found = {}
    for family in text_string_to_metric_families(meter.report().metrics):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return found


@pytest.fixture
def meter() -> Meter:
    return Meter(slots=1)


@pytest.fixture
def watched(bench: Bench, launcher: Launcher, meter: Meter) -> Iterator[Bench]:
    """A bench whose boxes are counted."""
    pool = Pool(LauncherWithMiddleware(launcher, [BoxTelemetry("submissions", meter)]), capacity=2, max_runs=100)
    meter.watch_pools("submissions", pool)
    with closing(pool):
        yield Bench(bench.database, pool)  # type: ignore[arg-type]  # no test counts its leases


def with_telemetry(judge: Judge, meter: Meter) -> Judge:
    return with_middleware(judge, [JudgingTelemetry(meter)])


def test_a_judging_is_counted_with_its_verdict_its_phases_and_its_box(watched: Bench, meter: Meter) -> None:
    watched.send(watched.publish())

    with_telemetry(watched.worker().judge, meter)(watched.claim(), threading.Event())

    samples = read(meter)
    assert samples['allclose_judgings_total{kind="interactive",queue="cpu",verdict="accepted"}'] == 1
    assert samples['allclose_judging_wait_seconds_count{kind="interactive",queue="cpu"}'] == 1
    phases = ("preparing", "box", "running", "again", "checking")
    assert [samples[f'allclose_judging_phase_duration_seconds_count{{phase="{phase}"}}'] for phase in phases] == [1] * 5
    assert samples['allclose_boxes_opened_total{use="submissions"}'] >= 1
    assert samples['allclose_boxes_lost_total{use="submissions"}'] == 0
    assert samples['allclose_boxes{state="busy",use="submissions"}'] == 0
    assert samples["allclose_worker_slots"] == 1


def test_a_failure_of_the_judge_is_counted_by_its_class_and_kept_by_its_cause(watched: Bench, meter: Meter) -> None:
    judging_id = watched.send(watched.publish())

    def fail(claim: JudgingClaim, _: threading.Event) -> JudgingResult:
        raise BoxLost(f"the box of process {claim.judging_id}41 ended\nattempt 9: Forged: by what it said")

    with loop(watched.database, with_telemetry(fail, meter), BY_NOTIFY_ONLY):
        wait_until(lambda: watched.judging().state == "done")

    assert read(meter)['allclose_errors_total{kind="BoxLost",part="worker"}'] == MAX_ATTEMPTS
    judging = watched.judging()
    assert judging.id == judging_id
    assert judging.cause == "BoxLost: the box of process # ended"
    assert (judging.reason or "").count("\n  Traceback") == MAX_ATTEMPTS


def test_a_beat_tells_the_versions_of_what_boxes_have_once_one_was_opened(watched: Bench, meter: Meter) -> None:
    capacity = Capacity(queues=("cpu",), slots=1, versions={"allclose": "1"}, report=meter.report)

    unknown = beat(watched, capacity)
    watched.send(watched.publish())
    watched.worker().judge(watched.claim(), threading.Event())
    known = beat(watched, capacity)
    known.pop("triton", None)  # its absence is told

    assert unknown == {"allclose": "1"}
    assert known == {"allclose": "1", "python": ANY, "numpy": ANY}


def beat(bench: Bench, capacity: Capacity) -> dict[str, Any]:
    """The versions that its row has after it."""
    with bench.database.transaction() as session:
        appear(session, capacity)
        return dict(session.scalars(select(WorkerRow.versions)).one())
