"""Judging a submission whose programs are inspected: the messages to boxes, and the results shown."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

import pytest

from app.catalog.package import Package, load_package, package_from_files
from app.database.engine import Database
from app.engine.boxes import box_spec
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.prepare import Draw, PreparedVariant, prepare
from app.engine.request import NO_CALLS, read_outcome
from app.judging.verdicts import Finish, Verdict
from app.worker.expected import ExpectedOutputs
from sandbox.guest.codec import decode, encode
from sandbox.interface import CaseOutcome, Ending, Launcher
from tests.hostile.arena import PROBLEMS
from tests.worker.bench import Bench, CountingPool, Listening, have_idle

ENERGY = load_package(PROBLEMS / "chunked_energy")
SPEC = box_spec(ENERGY.manifest)
WHOLE = "import jax.numpy as jnp\n\n\ndef chunked_energy(x, gain, chunks):\n    return jnp.sum((gain * x) ** 2)\n"


@dataclass
class Court:
    """Judges submissions for one problem."""

    students: Listening
    inspectors: Listening
    prepared: PreparedVariant
    package: Package = field(default=ENERGY)

    def judge(
        self,
        source: str,
        names: frozenset[str] | None = None,
        *,
        in_parallel: bool = False,
    ) -> Finish:
        cases = [case for case in self.prepared.cases if names is None or case.name in names]
        job = Job(
            package=self.package,
            source=source,
            cases=cases,
            inspectors=self.inspectors,
            runs_in_parallel=in_parallel,
        )
        self.students.requests.clear()
        self.inspectors.requests.clear()
        return judge(job, self.students, lambda _: None, threading.Event())


@pytest.fixture(scope="module")
def court(launcher: Launcher) -> Iterator[Court]:
    with closing(Listening(launcher)) as students, closing(Listening(launcher)) as inspectors:
        prepared = prepare(ENERGY, Draw(b"a secret", 0), inspectors, threading.Event())
        yield Court(students, inspectors, prepared)


def test_a_student_gets_no_input_of_a_sealed_case_and_an_inspector_no_source(court: Court) -> None:
    sealed = [case for case in court.prepared.cases if case.sealed]
    secrets = [decode(case.inputs)["x"].tobytes() for case in sealed]  # type: ignore[index,call-overload,union-attr]

    judged = court.judge(ENERGY.reference)

    sent = b"".join(case.inputs for request in court.students.requests for case in request.cases)
    assert judged.verdict is Verdict.ACCEPTED
    assert len(secrets) == 3
    assert not any(secret in sent for secret in secrets)
    assert all(ENERGY.reference not in request.source for request in court.inspectors.requests)
    assert any(secrets[0] in case.inputs for request in court.inspectors.requests for case in request.cases)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(ENERGY.reference, id="right"),
        pytest.param(WHOLE, id="requirement not met", marks=pytest.mark.whole),
        pytest.param(ENERGY.reference.replace("gain * chunk", "chunk - gain"), id="wrong", marks=pytest.mark.whole),
        pytest.param(
            "def chunked_energy(x, gain, chunks):\n    return float(gain) ** 2 * (x * x).sum()\n", id="untraceable"
        ),
        pytest.param("def another(x):\n    return x\n", id="no entry point"),
    ],
)
def test_a_second_process_leads_to_the_same_results(court: Court, source: str) -> None:
    after = court.judge(source)
    have_idle(court.students, SPEC, 2)
    beside = court.judge(source, in_parallel=True)

    assert [(case.name, case.verdict, case.report["category"]) for case in beside.cases] == [
        (case.name, case.verdict, case.report["category"]) for case in after.cases
    ]


def test_a_sample_says_what_was_found_and_a_hidden_case_only_what_the_manifest_asks_for(court: Court) -> None:
    judged = court.judge(WHOLE)

    sample, *hidden = judged.cases
    assert {case.verdict for case in judged.cases} == {Verdict.REQUIREMENT_NOT_MET}
    assert sample.report["message"] == "expected one loop of 4 steps; found no loop"
    assert sample.report["answer"]["leaves"] == sample.report["expected"]["leaves"]
    assert [case.report for case in hidden] == [{"category": "must use scan of length chunks for x"}] * 4


def test_a_source_that_does_not_load_fails_its_sealed_cases_in_the_same_way(court: Court) -> None:
    judged = court.judge("def another(x):\n    return x\n")

    assert [case.verdict for case in judged.cases] == [Verdict.INVALID_SUBMISSION] * 5
    assert court.inspectors.requests == []


PATCHED = """
import sys

def forged(solution, inputs):
    import numpy
    return numpy.zeros({size}, numpy.uint8)

export = sys.modules.get("sandbox.guest.program_export")
if export is not None:
    export.run.__code__ = forged.__code__
"""


@pytest.mark.parametrize("size", [64 * 2**20 - 64, 2**20])
def test_an_export_that_is_too_large_or_none_is_the_submissions_fault(court: Court, size: int) -> None:
    judged = court.judge(PATCHED.format(size=size) + ENERGY.reference)

    assert {case.verdict for case in judged.cases} == {Verdict.REQUIREMENT_NOT_MET}
    assert {case.report["category"] for case in judged.cases} == {"program refused"}
    assert court.inspectors.requests == []


HUNGRY = """
    total = jnp.float32(0)
    if isinstance(x, jax.core.Tracer) and x.shape[0] == 8:
        total = 0 * jnp.sort(jnp.arange(2**27) * gain)[0]
"""


@pytest.mark.whole
def test_a_step_that_was_not_tried_is_not_called_without_effect(launcher: Launcher) -> None:
    """The sample's own program is correct; the other cases end three inspectors before any step is left out."""
    text = (
        ENERGY.files["problem.yaml"]
        .decode()
        .replace("5, 6, 7, 8], gain: 1.0, chunks: 4", "5, 6], gain: 1.0, chunks: 2")
    )
    package = package_from_files("energy", {"problem.yaml": text.encode()})
    source = "import jax\n" + package.reference.replace("jnp.float32(0)", "total")
    source = source.replace("chunks):\n", f"chunks):{HUNGRY}", 1)

    with closing(Listening(launcher)) as students, closing(Listening(launcher)) as inspectors:
        prepared = prepare(package, Draw(b"a secret", 0), inspectors, threading.Event())
        judged = Court(students, inspectors, prepared, package).judge(source)

    assert Verdict.REQUIREMENT_NOT_MET not in {case.verdict for case in judged.cases}
    assert Verdict.ACCEPTED not in {case.verdict for case in judged.cases}
    assert "not run: 3 earlier cases" in judged.cases[0].report["message"]


def test_a_sealed_case_shows_no_time_and_no_memory(court: Court) -> None:
    judged = court.judge(ENERGY.reference)

    sealed = {case.name for case in court.prepared.cases if case.sealed}
    shown = {case.name: (case.wall_seconds, case.memory_bytes) for case in judged.cases}
    assert {shown[name] for name in sealed} == {(None, None)}
    assert all(None not in shown[name] for name in shown.keys() - sealed)


@pytest.mark.whole
def test_evidence_of_the_references_program_is_stored_with_its_answers(database: Database, pool: CountingPool) -> None:
    revision = Bench(database, pool).publish(ENERGY)

    first = ExpectedOutputs(database, pool, "cpu").get(revision, ENERGY, 0, threading.Event())
    again = ExpectedOutputs(database, pool, "cpu").get(revision, ENERGY, 0, threading.Event())

    assert again == first
    assert [case.sealed for case in again] == [False, False, True, True, True]
    assert all(case.evidence and case.evidence.loops[0].length == 4 for case in again)


def test_an_answer_that_is_no_recording_stays_to_be_found_wrong() -> None:
    manifest = load_package(PROBLEMS.parents[2] / "problems" / "train_with_accumulation_amp").manifest
    forged = CaseOutcome(
        name="c",
        ending=Ending.ANSWERED,
        answer=encode({"calls": 3}),
        failure=None,
        text="",
        wall_seconds=0,
        memory_bytes=0,
    )

    outcome, calls = read_outcome(manifest, forged)

    assert outcome == forged
    assert calls == NO_CALLS
