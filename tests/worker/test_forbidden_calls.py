"""Requirements on calls and syntax, judged in real boxes: a student must write the function and not call it."""

import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import pytest

from app.catalog.package import Package, package_from_files
from app.engine.job import Job
from app.engine.judge import judge
from app.engine.prepare import Draw, PreparedVariant, ReferenceFailed, prepare
from app.judging.verdicts import CaseResult, Verdict
from sandbox.interface import Launcher
from sandbox.pool import Pool

SOFTMAX = """
title: Softmax by hand
summary: Exponentials, divided by their sum.
difficulty: beginner
estimated_minutes: 5
frameworks: [torch]
entry_point: softmax
parameters:
  - {name: x, type: torch, shape: [N, D], dtype: float32}
returns: {type: torch, shape: [N, D], dtype: float32}
requirements:
  - {forbids_calls: [torch.softmax, torch.nn.functional.log_softmax]}
  - {forbids_calls: [torch.sigmoid, torch.erf]}
  - {forbids_syntax: [for, comprehension]}
cases:
  - {name: small, visibility: sample, inputs: {x: [[1, 2, 3], [0, 0, 0]]}}
  - {name: drawn, inputs: {x: {draw: normal, shape: [20, 30], scale: 3}}}
statement: Write it yourself.
starter: |
  def softmax(x):
      ...
reference: |
  import torch

  def softmax(x):
      powers = torch.exp(x - x.max(dim=1, keepdim=True).values)
      return powers / powers.sum(dim=1, keepdim=True)
submissions:
  accepted: {a: "import torch"}
  wrong_answer: {a: "'Mistake: nothing.'"}
"""
SOLVE = """
title: Solve by hand
summary: The solution of two equations.
difficulty: beginner
estimated_minutes: 5
frameworks: [numpy]
entry_point: solve
parameters:
  - {name: a, type: numpy, shape: [2, 2], dtype: float64}
  - {name: b, type: numpy, shape: [2], dtype: float64}
returns: {type: numpy, shape: [2], dtype: float64}
requirements:
  - {forbids_calls: [numpy.linalg.*, numpy.power]}
cases:
  - {name: small, visibility: sample, inputs: {a: [[2, 1], [1, 3]], b: [1, 2]}}
statement: Write it yourself.
starter: |
  def solve(a, b):
      ...
reference: |
  import numpy as np

  def solve(a, b):
      (p, q), (r, s) = a
      return np.array([s * b[0] - q * b[1], p * b[1] - r * b[0]]) / (p * s - q * r)
submissions:
  accepted: {a: "import numpy"}
  wrong_answer: {a: "'Mistake: nothing.'"}
"""
CALLED = {
    "the function": ("import torch\ndef softmax(x):\n    return torch.softmax(x, 1)", 3),
    "a layer": ("import torch\nlayer = torch.nn.Softmax(dim=1)\ndef softmax(x):\n    return layer(x)", 4),
    "a layer in a model": (
        "import torch\ndef softmax(x):\n    return torch.nn.Sequential(torch.nn.Identity(), torch.nn.Softmax(1))(x)",
        3,
    ),
    "an operation": ("import torch\ndef softmax(x):\n    return torch.ops.aten._softmax(x, 1, False)", 3),
    "another function with a pattern of its own": (
        "import torch\ndef softmax(x):\n    return x.log_softmax(1).exp()",
        3,
    ),
}


def package(text: str) -> Package:
    return package_from_files("by_hand", {"problem.yaml": text.encode()})


@dataclass
class Court:
    package: Package
    prepared: PreparedVariant
    pool: Pool

    def judge(self, source: str) -> tuple[CaseResult, ...]:
        job = Job(package=self.package, source=source, cases=self.prepared.cases)
        return tuple(judge(job, self.pool, lambda _: None, threading.Event()).cases)


def open_court(launcher: Launcher, text: str) -> Iterator[Court]:
    with closing(Pool(launcher, capacity=2, max_runs=100)) as pool:
        yield Court(package(text), prepare(package(text), Draw(b"a secret", 0), pool, threading.Event()), pool)


@pytest.fixture(scope="module")
def softmax(launcher: Launcher) -> Iterator[Court]:
    yield from open_court(launcher, SOFTMAX)


@pytest.fixture(scope="module")
def solve(launcher: Launcher) -> Iterator[Court]:
    yield from open_court(launcher, SOLVE)


def test_a_function_with_the_name_of_a_random_method_is_seen(solve: Court) -> None:
    (case,) = solve.judge(solve.package.reference.replace("    (p, q)", "    np.power(a, 2)\n    (p, q)"))

    assert case.verdict is Verdict.REQUIREMENT_NOT_MET
    assert "found numpy.power in line 4" in case.report["message"]


@pytest.mark.parametrize("spelling", CALLED)
def test_the_forbidden_function_is_found_by_every_spelling(softmax: Court, spelling: str) -> None:
    source, line = CALLED[spelling]

    sample, hidden = softmax.judge(source)

    assert sample.verdict is hidden.verdict is Verdict.REQUIREMENT_NOT_MET
    assert f"softmax in line {line}" in sample.report["message"]
    assert hidden.report["category"] == "must not call torch.softmax or torch.nn.functional.log_softmax"


@pytest.mark.parametrize("call", ["(x + 0).sigmoid_()", "torch.sigmoid_(x + 0)", "(x + 0).erf_()", "torch.erf_(x + 0)"])
def test_a_function_that_changes_its_tensor_counts_too(softmax: Court, call: str) -> None:
    source = softmax.package.reference.replace("    return", f"    {call}\n    return")

    sample, _ = softmax.judge(source)

    name = "torch.sigmoid" if "sigmoid" in call else "torch.erf"
    assert f"found {name} in line 5" in sample.report["message"]


def test_a_reference_that_calls_what_it_forbids_can_t_be_judged(launcher: Launcher) -> None:
    wrong = SOLVE.replace("      (p, q), (r, s) = a\n", "      (p, q), (r, s) = a\n      np.linalg.det(a)\n")

    with (
        closing(Pool(launcher, capacity=1, max_runs=9)) as pool,
        pytest.raises(ReferenceFailed, match=r"breaks the rule.*numpy\.linalg\.det in line 5"),
    ):
        prepare(package(wrong), Draw(b"a secret", 0), pool, threading.Event())


def test_a_name_that_no_library_has_is_the_author_s_fault(launcher: Launcher) -> None:
    wrong = SOLVE.replace("numpy.linalg.*", "numpy.linalg.sovle")

    with (
        closing(Pool(launcher, capacity=1, max_runs=9)) as pool,
        pytest.raises(ReferenceFailed, match=r"no library has numpy\.linalg\.sovle"),
    ):
        prepare(package(wrong), Draw(b"a secret", 0), pool, threading.Event())
