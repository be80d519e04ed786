"""Programs timed on the device alone, here a processor: honest ones have times, and others have none."""

import threading

import pytest

from app.catalog.package import Package, package_from_files
from app.engine.boxes import INSPECTOR
from app.engine.job import Context, Job
from app.engine.prepare import Draw, PreparedCase, prepare
from app.engine.timing import measure_throughput
from app.judging.efficiency import Throughput
from sandbox.pool import Pool

PROBLEM = """\
title: Shift
summary: Add one to every element of a vector.
difficulty: beginner
estimated_minutes: 5
tags: [jax]
track: basics
position: 1
frameworks: [jax]
entry_point: shift
parameters: [{name: x, type: jax, shape: [N], dtype: float32}]
returns: {type: jax, shape: [N], dtype: float32}
limits: {wall_seconds: 5, memory_mib: 1024}
efficiency: {max_time_ratio: 4}
cases:
  - {name: small, visibility: sample, doc: Two numbers., inputs: {x: [1, 2]}}
  - {name: n_1000_a, size: 1000, inputs: {x: {draw: normal, shape: [1000]}}}
  - {name: n_1000_b, size: 1000, inputs: {x: {draw: normal, shape: [1000]}}}
  - {name: n_1000000_a, size: 1000000, inputs: {x: {draw: normal, shape: [1000000]}}}
  - {name: n_1000000_b, size: 1000000, inputs: {x: {draw: normal, shape: [1000000]}}}
license: CC-BY-4.0
statement: Return x + 1.
starter: |
  def shift(x):
      ...
reference: |
  def shift(x):
      return x + 1
submissions:
  accepted:
    in_place: |
      def shift(x):
          return 1 + x
  wrong_answer:
    unchanged: |
      # Adds nothing.
      def shift(x):
          return x
"""
REFERENCE = "def shift(x):\n    return x + 1\n"
# While JAX traces it, it shows a program that does no work.
SHOWS_ANOTHER = """\
import jax

def shift(x):
    return x if isinstance(x, jax.core.Tracer) else x + 1
"""
NOT_TRACEABLE = "def shift(x):\n    return x + 1 if float(x[0]) == float(x[0]) else x\n"


@pytest.fixture(scope="module")
def package() -> Package:
    return package_from_files("shift", {"problem.yaml": PROBLEM.encode()})


@pytest.fixture(scope="module")
def cases(package: Package, references: Pool) -> tuple[PreparedCase, ...]:
    return prepare(package, Draw(b"secret", 0), references, threading.Event()).cases


def measured(
    source: str, pool: Pool, references: Pool, package: Package, cases: tuple[PreparedCase, ...]
) -> Throughput | None:
    job = Job(package=package, source=source, cases=cases, references=references, inspectors=references, card="L40S")
    return measure_throughput(Context(job, pool, lambda _: None, threading.Event()), INSPECTOR)


def test_programs_are_timed_at_each_size_beside_the_reference(
    pool: Pool, references: Pool, package: Package, cases: tuple[PreparedCase, ...]
) -> None:
    found = measured(REFERENCE, pool, references, package, cases)

    assert found is not None
    assert [each.size for each in found.times] == [1_000, 1_000_000]
    assert all(each.seconds > 0 and each.reference_seconds > 0 for each in found.times)
    small, large = found.times
    assert large.bytes_per_second > small.bytes_per_second  # a call has a fixed cost
    assert found.share is not None
    assert found.share == pytest.approx(large.bytes_per_second / 0.864e12, rel=0.1)


@pytest.mark.parametrize("source", [SHOWS_ANOTHER, NOT_TRACEABLE])
def test_a_program_that_answers_wrongly_or_is_not_there_has_no_time(
    source: str, pool: Pool, references: Pool, package: Package, cases: tuple[PreparedCase, ...]
) -> None:
    assert measured(source, pool, references, package, cases) is None
