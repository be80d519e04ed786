"""The rules for `parts` in problem.yaml."""

import pytest

from app.catalog.fault import PackageInvalid
from app.catalog.package import Package, package_from_files

PARTS = """
parts:
  - {name: one, title: A single number, points: 30}
  - {name: many, title: Many numbers, points: 70}
"""
TEXT = """
title: Double it
summary: Twice the numbers.
difficulty: beginner
estimated_minutes: 5
frameworks: [numpy]
entry_point: double
parameters: [{name: x, type: numpy, shape: [N], dtype: float32}]
returns: {type: numpy, shape: [N], dtype: float32}
cases:
  - {name: small, visibility: sample, part: one, inputs: {x: [1]}}
  - {name: drawn, part: many, inputs: {x: {draw: normal, shape: [9]}}}
statement: Double it.
starter: "def double(x): ..."
reference: "def double(x): return 2 * x"
submissions:
  accepted: {a: "def double(x): return x + x"}
  wrong_answer: {a: "'Mistake: adds nothing.'\\ndef double(x): return x + 0"}
"""


def package(parts: str = PARTS, text: str = TEXT) -> Package:
    return package_from_files("double", {"problem.yaml": (parts + text).encode()})


def test_every_case_knows_its_part() -> None:
    manifest = package().manifest

    assert [case.part for case in manifest.cases] == ["one", "many"]
    assert sum(part.points for part in manifest.parts) == 100


WRONG = {
    "sum": (PARTS.replace("70", "60"), TEXT, "have 90 points in all: let them sum to 100"),
    "unknown": (
        PARTS,
        TEXT.replace("part: one", "part: oen"),
        "is 'oen', which is no part of the problem; did you mean one?",
    ),
    "missing": (PARTS, TEXT.replace("part: one, ", ""), "cases[0].part is missing: the problem has parts"),
    "unused": (PARTS, TEXT.replace("part: one", "part: many"), "is 'one', to which no case belongs"),
    "no parts": ("", TEXT, "list the part under `parts`"),
    "too many points": (PARTS.replace("70", "170"), TEXT, "points"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parts_are_explained(name: str) -> None:
    parts, text, message = WRONG[name]

    with pytest.raises(PackageInvalid) as refused:
        package(parts, text)

    assert message in str(refused.value)
