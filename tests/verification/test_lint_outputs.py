"""Lint of expected outputs: what `returns` declares, NaN, and the numbers of the worked example."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.catalog.verification_report import Finding
from app.engine.prepare import PreparedCase
from app.verification.lint.outputs import check_nan, check_returns, check_worked_example
from app.verification.package_texts import PackageTexts, read_texts
from sandbox.guest.codec import Tree
from tests.verification.bench import changed, make_case

RETURNS = 'returns: {type: numpy, shape: [N], dtype: float32, doc: "the mean of x[0] to x[i] at place i"}'
EXAMPLE = "Of 2, 4, 9 the means are 2, 3, 5."
MATRIX = 'returns: {type: numpy, shape: [N, 2], dtype: float32, doc: "pairs"}'


def a_case(expected: Tree, name: str = "worked_example", **inputs: Any) -> PreparedCase:
    given = {"x": array(2, 4, 9)} | inputs
    return make_case(name, expected, given, "sample" if name == "worked_example" else "hidden")


def findings_of(
    rule: Callable[[PackageTexts], Iterator[Finding]], *cases: PreparedCase, changes: tuple[tuple[str, str], ...] = ()
) -> list[Finding]:
    return list(rule(read_texts(changed("running_mean", *changes), cases)))


def array(*numbers: float, dtype: Any = np.float32) -> Tree:
    return np.array(numbers, dtype)


DECLARED = "shape (N,) and dtype float32"


@pytest.mark.parametrize(
    ("output", "returns", "told"),
    [
        (array(2, 3, 5), RETURNS, None),
        (array(2, 3), RETURNS, f"shape (2,) and dtype float32; `returns` says {DECLARED} where N = 3"),
        (array(2, 3, 5, dtype=np.float64), RETURNS, f"shape (3,) and dtype float64; `returns` says {DECLARED}"),
        (np.ones((3, 2), np.float32), MATRIX, None),
        (np.ones((3, 3), np.float32), MATRIX, "shape (3, 3) and dtype float32; `returns` says shape (N, 2)"),
        (np.array(1, np.float32), 'returns: {type: numpy, shape: [], dtype: float32, doc: "one"}', None),
        (
            1.0,
            'returns: {type: numpy, shape: [], dtype: float32, doc: "one"}',
            "shape () and dtype float; `returns` says",
        ),
        (1.0, 'returns: {type: float, doc: "one"}', None),
        (1, 'returns: {type: float, doc: "one"}', "shape () and dtype int; `returns` says float"),
        (True, 'returns: {type: bool, doc: "one"}', None),
        ("up", 'returns: {type: str, doc: "a word"}', None),
        ("up", RETURNS, "a text; `returns` says shape (N,)"),
        ([1.0], 'returns: {type: list, doc: "some"}', None),
        ({"a": 1.0}, 'returns: {type: list, doc: "some"}', "a dict with the key 'a'; `returns` says list"),
        ((array(1), array(2)), RETURNS, "a tuple of length 2; `returns` says numpy"),
        (
            np.ones((2, 5, 5), np.float32),
            'returns: {type: numpy, shape: [2, K, K], dtype: float32, doc: "squares"}',
            None,
        ),
        (
            np.ones((2, 5, 4), np.float32),
            'returns: {type: numpy, shape: [2, K, K], dtype: float32, doc: "squares"}',
            "shape (2, 5, 4) and dtype float32; `returns` says shape (2, K, K) and dtype float32",
        ),
    ],
)
def test_an_output_that_is_not_as_declared_is_an_error(output: Tree, returns: str, told: str | None) -> None:
    found = findings_of(check_returns, a_case(output), changes=((RETURNS, returns),))

    assert [(finding.severity, finding.file, finding.line) for finding in found] == [
        ("error", "problem.yaml", 10)
    ] * bool(told)
    assert all(f"the reference returns {told}" in finding.message for finding in found), found


def test_a_sample_of_another_name_whose_inputs_the_example_shows_is_checked_too() -> None:
    shown, other = a_case(array(2, 3, 6), "first"), a_case(array(7), "second", x=np.array([8.0], np.float32))
    samples = [replace(case, visibility="sample") for case in (shown, other)]

    (finding,) = findings_of(check_worked_example, *samples)

    assert "does not show 6, which the output of first holds" in finding.message


def test_cases_with_the_same_difference_are_one_finding() -> None:
    (finding,) = findings_of(check_returns, *(a_case(1.5, f"case_{number}") for number in range(5)))

    assert "(case_0 and 4 more cases)" in finding.message


def test_inputs_that_disagree_about_a_size_are_an_error() -> None:
    cases = [a_case(array(2, 3, 5), y=array(1, 2)), a_case(array(2, 3, 5), "fitting", y=array(1, 2, 3))]
    package = changed("running_mean")
    manifest = package.manifest
    both = (*manifest.parameters, manifest.parameters[0].model_copy(update={"name": "y"}))
    package = replace(package, manifest=manifest.model_copy(update={"parameters": both}))

    found = list(check_returns(read_texts(package, cases)))

    told = "the inputs contradict each other: N is 3, but 2 in y (worked_example)"
    assert [(finding.severity, finding.message) for finding in found] == [("error", told)]


def test_nan_is_a_note_with_its_leaf_and_cases() -> None:
    output = {"loss": array(1, np.nan, np.nan), "grad": array(1, 2)}

    found = findings_of(
        check_nan, a_case(output), a_case({**output, "loss": array(1)}, "other"), a_case(np.nan, "third")
    )

    assert [(finding.severity, finding.message) for finding in found] == [
        ("note", "the expected output holds NaN at loss: worked_example (2 of 3 numbers)"),
        ("note", "the expected output holds NaN: third (1 of 1 number)"),
    ]


@pytest.mark.parametrize(
    ("text", "output", "missing"),
    [
        (EXAMPLE, array(2, 3, 5), None),
        (EXAMPLE, array(2, 3, 6), "6"),
        ("The means are 0.333 and $-1.6$.", array(1 / 3, -1.6), None),
        ("The means are 0.33 and $−1.6$.", array(1 / 3, -1.6), "0.333333"),
        ("The means are 0.3333333 and 1.6.", array(1 / 3, -1.6), "-1.6"),
        ("It is $1.23 \\cdot 10^{-3}$.", array(0.001234), None),
        ("It is 1.234e-03.", array(0.001234), None),
        ("It is 12{,}345.", [12345], None),
        ("It is 1.23e4.", [12345], "12345 at 0"),
        ("It is 1.23e4.", [12345.0], None),
        ("| step | loss |\n  |---|---|\n  | 1 | 0.250 |", {"loss": [0.25]}, None),
        ("It is 0.5.", {"loss": [0.25, 0.5]}, "0.25 at loss/0"),
        ("It is nothing.", array(*range(21)), None),
        ("It is positive.", "positive", None),
        ("It is 3 - 2 = 1.", [2, 1], None),
        ("The sum is 0.", array(1e-9, 0, 2, 0), "2"),
        ("`running_mean([1, 3, 2])` gives 17.", array(1), "1"),
        ("With `x` = [1, 3, 2] it is 17.", array(1), "1"),
        ("$x = (1, 3)$ gives 1.", array(1), None),
    ],
)
def test_the_statement_shows_the_numbers_of_the_worked_example(text: str, output: Tree, missing: str | None) -> None:
    found = findings_of(check_worked_example, a_case(output), changes=((EXAMPLE, text),))

    assert [finding.severity for finding in found] == ["error"] * (missing is not None)
    assert all(f"does not show {missing}, which" in finding.message for finding in found), found


def test_numbers_in_another_section_do_not_count() -> None:
    changes = ((EXAMPLE, "See below."), ("The first place is", "2, 3, 5. The first place is"))

    (finding,) = findings_of(check_worked_example, a_case(array(2, 3, 5)), changes=changes)

    assert "does not show 2, 3, 5, which" in finding.message


def test_another_first_sample_is_not_compared_with_the_statement() -> None:
    assert findings_of(check_worked_example, a_case(array(7), "first")) == []


def test_an_output_may_have_any_of_the_declared_forms() -> None:
    either = RETURNS.replace("}", ", alternatives: [{type: str, doc: why there is none}, {type: float}]}")
    forms: list[Tree] = [array(1, 2, 3), "no mean", 2.5]

    for form in forms:
        assert findings_of(check_returns, a_case(form), changes=((RETURNS, either),)) == []
    (finding,) = findings_of(check_returns, a_case({"mean": 1.0}), changes=((RETURNS, either),))
    assert "`returns` says numpy" in finding.message
