"""The rules for `parts`, and for `efficiency` with the sizes of cases."""

import pytest

from app.catalog.fault import PackageInvalid
from app.catalog.package import Package, package_from_files

HEAD = """
title: Double it
summary: Twice the numbers.
difficulty: beginner
estimated_minutes: 5
frameworks: [numpy]
entry_point: double
parameters: [{name: x, type: numpy, shape: [N], dtype: float32}]
returns: {type: numpy, shape: [N], dtype: float32}
statement: Double it.
starter: "def double(x): ..."
reference: "def double(x): return 2 * x"
submissions:
  accepted: {a: "def double(x): return x + x"}
  wrong_answer: {a: "'Mistake: adds nothing.'\\ndef double(x): return x + 0"}
"""
PARTS = """
parts:
  - {name: one, title: A single number, points: 30}
  - {name: many, title: Many numbers, points: 70}
"""
IN_PARTS = """
cases:
  - {name: small, visibility: sample, part: one, inputs: {x: [1]}}
  - {name: drawn, part: many, inputs: {x: {draw: normal, shape: [9]}}}
"""
WITH_PARTS = HEAD + PARTS + IN_PARTS
EFFICIENCY = "efficiency: {max_time_ratio: 3, max_growth: 1.5}\n"
WITH_SIZES = f"""{HEAD}{EFFICIENCY}
cases:
  - {{name: small, visibility: sample, inputs: {{x: [1]}}}}
  - {{name: b1, size: 900, inputs: {{x: {{draw: normal, shape: [900]}}}}}}
  - {{name: b2, size: 900, inputs: {{x: {{draw: normal, shape: [900]}}}}}}
  - {{name: a1, size: 90, inputs: {{x: {{draw: normal, shape: [90]}}}}}}
  - {{name: a2, size: 90, inputs: {{x: {{draw: normal, shape: [90]}}}}}}
"""


def package(text: str, *changes: tuple[str, str]) -> Package:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return package_from_files("double", {"problem.yaml": text.encode()})


def test_every_case_knows_its_part() -> None:
    manifest = package(WITH_PARTS).manifest

    assert [case.part for case in manifest.cases] == ["one", "many"]
    assert sum(part.points for part in manifest.parts) == 100


def test_the_timed_cases_are_those_with_a_size_the_smallest_first() -> None:
    timed = package(WITH_SIZES).manifest.timed_cases

    assert list(timed.items()) == [("a1", 90), ("a2", 90), ("b1", 900), ("b2", 900)]


def test_one_size_is_enough_for_a_ratio() -> None:
    sized = package(WITH_SIZES, (", max_growth: 1.5", ""), ("size: 90,", "size: 900,")).manifest

    assert set(sized.timed_cases.values()) == {900}


@pytest.mark.parametrize(
    ("text", "old", "new", "message"),
    [
        (WITH_PARTS, "70", "60", "have 90 points in all: let them sum to 100"),
        (WITH_PARTS, "part: one", "part: oen", "is 'oen', which is no part of the problem; did you mean one?"),
        (WITH_PARTS, "part: one, ", "", "cases[0].part is missing: the problem has parts"),
        (WITH_PARTS, "part: one", "part: many", "is 'one', to which no case belongs"),
        (WITH_PARTS, PARTS, "", "list the part under `parts`"),
        (WITH_PARTS, "70", "170", "points"),
        (WITH_SIZES, "visibility: sample,", "visibility: sample, size: 5,", "cases[0].size is given for a sample"),
        (WITH_SIZES, "max_time_ratio: 3, ", "", "efficiency.max_time_ratio is missing"),
        (WITH_SIZES, "max_time_ratio: 3", "max_time_ratio: 1.5", "max_time_ratio is 1.5: must be at least 2"),
        (WITH_SIZES, "max_growth", "max_grow", "did you mean max_growth?"),
        (WITH_SIZES, EFFICIENCY, "", "the problem has no efficiency"),
        (WITH_SIZES, "name: a2, size: 90", "name: a2", "but only a1 has size 90: add one with other inputs"),
        (WITH_SIZES, "size: 90,", "size: 900,", "needs cases of 2 or more sizes, but the cases have 1"),
        (WITH_SIZES, "size: 900", "size: large", "write a whole number"),
        (WITH_SIZES, "size: 90,", "size: 0,", "must be at least 1"),
        (WITH_SIZES, "name: a2,", "name: a2, sealed: true,", "is given for a sealed case"),
    ],
)
def test_wrong_parts_sizes_and_limits_are_explained(text: str, old: str, new: str, message: str) -> None:
    with pytest.raises(PackageInvalid) as refused:
        package(text, (old, new))

    assert message in str(refused.value)
