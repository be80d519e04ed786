"""Grouping cases by shape, and measuring the cost of shapes."""

from typing import Any

import numpy as np
import pytest

from app.catalog.package import Package
from app.catalog.parameter import Parameter
from app.catalog.verification_report import Report
from app.cli.console import output
from app.cli.problem.report_table import print_report
from app.engine.prepare import PreparedCase, shapes_of
from app.verification.trial import Effort, VerificationPools
from sandbox.guest.codec import encode
from tests.verification.bench import NO_MUTANTS, changed, package_of, verified

PARAMETERS = (
    Parameter(name="x", type="jax", shape=("N",), dtype="float32"),
    Parameter(name="lr", type="float"),
    Parameter(name="n", type="float", static=True),
)
HINTS = 'hints: ["Average'
ANOTHER_CASE = """  - name: other_rows
    inputs:
      w: {draw: normal, shape: [2]}
      x: {draw: normal, shape: [2, 8, 2], scale: 2}
      y: {draw: normal, shape: [2, 8], loc: 3}
      lr: 0.002
"""
SHAPES = {
    "x float32 (2, 1, 2), y float32 (2, 1)": ("worked_example",),
    "x float32 (2, 8, 2), y float32 (2, 8)": ("some_rows", "other_rows"),
}


def a_case(name: str, **inputs: Any) -> PreparedCase:
    given = {"x": np.zeros(4, np.float32), "lr": 0.1, "n": 2.0} | inputs
    return PreparedCase(
        position=0,
        name=name,
        visibility="hidden",
        inputs=encode(given),
        expected=b"",
        inputs_preview={},
        expected_preview=None,
    )


def shapes(*cases: PreparedCase) -> dict[str, list[str]]:
    return {shape.label: [case.name for case in shape.cases] for shape in shapes_of(cases, PARAMETERS)}


def test_cases_with_other_numbers_have_the_same_shape() -> None:
    found = shapes(a_case("a"), a_case("b", x=np.ones(4, np.float32), lr=0.5))

    assert found == {"x float32 (4,), n = 2.0": ["a", "b"]}


def test_another_size_another_dtype_and_another_static_value_are_other_shapes() -> None:
    found = shapes(a_case("a"), a_case("size", x=np.ones(5, np.float32)), a_case("dtype", x=np.ones(4, np.int32)))

    assert found == {"x float32 (4,)": ["a"], "x float32 (5,)": ["size"], "x int32 (4,)": ["dtype"]}
    assert shapes(a_case("a"), a_case("static", n=4.0)) == {"n = 2.0": ["a"], "n = 4.0": ["static"]}


@pytest.fixture(scope="module")
def package() -> Package:
    return changed("small_learning_rate", (HINTS, ANOTHER_CASE + HINTS))


@pytest.fixture(scope="module")
def report(package: Package, pools: VerificationPools) -> Report:
    return verified(package, pools, Effort(mutants=0))


@pytest.mark.whole
def test_a_report_says_what_each_case_and_each_shape_costs(report: Report) -> None:
    assert report.limits is not None

    assert {shape.label: shape.cases for shape in report.limits.shapes} == SHAPES
    assert [(cost.case, cost.group) for cost in report.limits.cases] == [
        ("worked_example", 0),
        ("some_rows", 1),
        ("other_rows", 1),
    ]
    assert all(cost.first_seconds > 0 for cost in report.limits.cases)
    # The time in which other processes held the cores is left out, so one short run may count as 0 s.
    assert sum(cost.again_seconds for cost in report.limits.cases) > 0


@pytest.mark.whole
def test_a_further_case_is_another_one_of_the_shape_or_else_the_same_again(report: Report) -> None:
    assert report.limits is not None

    alone, first, other = report.limits.cases

    assert [shape.further_seconds for shape in report.limits.shapes] == [alone.again_seconds, other.first_seconds]
    assert [shape.first_seconds for shape in report.limits.shapes] == [alone.first_seconds, first.first_seconds]


@pytest.mark.whole
def test_the_command_prints_a_row_for_each_shape(report: Report) -> None:
    with output.capture() as captured:
        print_report(report)

    lines = captured.get().splitlines()
    (heading,) = (number for number, line in enumerate(lines) if line.startswith("shape "))
    assert lines[heading].split() == ["shape", "cases", "first", "case", "each", "further", "one"]
    rows = lines[heading + 1 : heading + 3]
    assert [row[: len(label)] for row, label in zip(rows, SHAPES, strict=True)] == list(SHAPES)


def test_a_quick_verification_leaves_the_costs_out(pools: VerificationPools) -> None:
    report = verified(package_of("running_mean"), pools, NO_MUTANTS)

    assert report.limits is not None
    assert (report.limits.cases, report.limits.shapes) == ((), ())
