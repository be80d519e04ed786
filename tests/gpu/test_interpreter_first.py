"""Kernels in Triton for a GPU: an interpreter judges them first, and a GPU what was accepted."""

import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from app.catalog.package import Package, load_package, package_from_files
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.prepare import Draw, PreparedCase, prepare
from app.judging.verdicts import CaseResult, Verdict
from app.settings import ROOT
from sandbox.interface import Box, BoxSpec
from sandbox.pool import Pool
from tests.gpu.test_gpu_check import OnProcessors

WHOLE = load_package(ROOT / "tests" / "kinds" / "triton")
VERDICTS = (Verdict.WRONG_ANSWER, Verdict.REQUIREMENT_NOT_MET, Verdict.ACCEPTED)
LIMITS = (b"memory_mib: 512}", b"memory_mib: 512, gpu: true, interpreter: true}")


class Recording(OnProcessors):
    """Notes for each box whether it was asked to have a GPU."""

    def __init__(self) -> None:
        self.gpus: list[bool] = []

    def launch(self, spec: BoxSpec) -> Box:
        self.gpus.append(spec.gpu)
        return super().launch(spec)


@pytest.fixture(scope="module")
def package() -> Package:
    text = WHOLE.files["problem.yaml"]
    assert LIMITS[0] in text
    return package_from_files("triton", {**WHOLE.files, "problem.yaml": text.replace(*LIMITS)})


@pytest.fixture
def launcher() -> Recording:
    return Recording()


@pytest.fixture
def pool(launcher: Recording) -> Iterator[Pool]:
    with closing(Pool(launcher, capacity=2, max_runs=100)) as pool:
        yield pool


@pytest.fixture
def cases(package: Package, pool: Pool) -> tuple[PreparedCase, ...]:
    return prepare(package.interpreted, Draw(b"secret", 0), pool, threading.Event()).cases


def test_an_accepted_kernel_runs_in_both_and_another_only_in_the_interpreter(
    package: Package, pool: Pool, cases: tuple[PreparedCase, ...], launcher: Recording
) -> None:
    first = {verdict: next(each for each in package.submissions if each.verdict is verdict) for verdict in VERDICTS}
    for verdict, known in first.items():
        told: list[CaseResult] = []
        launcher.gpus.clear()

        found = judge(Job(package=package, source=known.source, cases=cases), pool, told.append, threading.Event())

        assert found.verdict is verdict
        assert len(told) == len(found.cases) == len(cases)
        assert any(launcher.gpus) == (verdict is Verdict.ACCEPTED)
