"""The rules for `efficiency` and the sizes of cases in problem.yaml."""

import pytest

from app.catalog.fault import PackageInvalid
from app.catalog.package import Package, package_from_files

TEXT = """
title: Double it
summary: Twice the numbers.
difficulty: beginner
estimated_minutes: 5
frameworks: [numpy]
entry_point: double
parameters: [{name: x, type: numpy, shape: [N], dtype: float32}]
returns: {type: numpy, shape: [N], dtype: float32}
efficiency: {max_time_ratio: 3, max_growth: 1.5}
cases:
  - {name: small, visibility: sample, inputs: {x: [1]}}
  - {name: b1, size: 900, inputs: {x: {draw: normal, shape: [900]}}}
  - {name: b2, size: 900, inputs: {x: {draw: normal, shape: [900]}}}
  - {name: a1, size: 90, inputs: {x: {draw: normal, shape: [90]}}}
  - {name: a2, size: 90, inputs: {x: {draw: normal, shape: [90]}}}
statement: Double it.
starter: "def double(x): ..."
reference: "def double(x): return 2 * x"
submissions:
  accepted: {a: "def double(x): return x + x"}
  wrong_answer: {a: "'Mistake: adds nothing.'\\ndef double(x): return x + 0"}
"""


def package(*changes: tuple[str, str]) -> Package:
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return package_from_files("double", {"problem.yaml": text.encode()})


def test_the_timed_cases_are_those_with_a_size_the_smallest_first() -> None:
    assert list(package().manifest.timed_cases.items()) == [("a1", 90), ("a2", 90), ("b1", 900), ("b2", 900)]


WRONG = {
    "a sample": ("visibility: sample,", "visibility: sample, size: 5,", "cases[0].size is given for a sample"),
    "no limit": ("{max_time_ratio: 3, max_growth: 1.5}", "{max_growth: 1.5}", "efficiency.max_time_ratio is missing"),
    "too tight": ("max_time_ratio: 3", "max_time_ratio: 1.5", "efficiency.max_time_ratio is 1.5: must be at least 2"),
    "unknown key": ("max_growth", "max_grow", "did you mean max_growth?"),
    "no efficiency": ("efficiency: {max_time_ratio: 3, max_growth: 1.5}\n", "", "the problem has no efficiency"),
    "one case of a size": ("name: a2, size: 90", "name: a2", "but only a1 has size 90: add one with other inputs"),
    "one size and a growth": ("size: 90,", "size: 900,", "needs cases of 2 or more sizes, but the cases have 1"),
    "not a number": ("size: 900", "size: large", "write a whole number"),
    "zero": ("size: 90,", "size: 0,", "must be at least 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_sizes_and_limits_are_explained(name: str) -> None:
    old, new, message = WRONG[name]

    with pytest.raises(PackageInvalid) as refused:
        package((old, new))

    assert message in str(refused.value)


def test_one_size_is_enough_for_a_ratio() -> None:
    sized = package((", max_growth: 1.5", ""), ("size: 90,", "size: 900,")).manifest

    assert set(sized.timed_cases.values()) == {900}


def test_a_sealed_case_has_no_size() -> None:
    with pytest.raises(PackageInvalid, match="is given for a sealed case"):
        package(("name: a2,", "name: a2, sealed: true,"))
