"""A manifest with every key, broken at every location in every way: faults with file and line, never an exception."""

from collections.abc import Iterator
from dataclasses import replace
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from app.catalog.code_validation import list_code_faults
from app.catalog.fault import Fault, Location
from app.catalog.manifest import manifest_schema
from app.catalog.package import read_problem_file
from app.catalog.part import gather
from app.catalog.validation_errors import PATTERNS
from app.catalog.yaml_document import Document, read_document

PROBLEM = """\
title: Every key
summary: A manifest that uses every key.
difficulty: beginner
estimated_minutes: 5
tags: [jax, keys]
track: basics
position: 1
prerequisites: [other]
exercise: {name: keys, label: JAX}
frameworks: [jax, torch]
entry_point: solve
parameters:
  - {name: x, type: jax, shape: [N, 3], dtype: float32, doc: numbers}
  - {name: n, type: int, static: true}
  - {name: options, type: dict, leaves: jax, dtype: float32, nullable: true}
  - {name: word, type: str, static: true}
returns: {type: dict, doc: all leaves}
tolerance: {rtol: 1e-5, atol: 0.0, leaves: {"history/*": {rtol: 1e-3, atol: 1e-6}}}
dtype_policy: kind
checkers:
  tokens: {checker: exact}
  q: {checker: property, shape: any}
  noise: {checker: distribution, false_reject_rate: 1e-6}
  "grads/*": {checker: gradient, relative: 1e-4, absolute: 0.0}
  "params/*": {checker: closeness}
limits: {wall_seconds: 2, memory_mib: 256, gpu: false}
deterministic: true
may_change: [x]
requirements:
  - {uses: scan, length: n, through: [x], slices: [x]}
  - {forbids: [while, dot_general]}
  - {max_temporary_memory: {mib: 1}}
  - {max_flops_ratio: 1.5}
  - {max_equations: 200}
  - {calls: backward, at_least: 1, at_most: n}
variants: 2
parts:
  - {name: few, title: A few rows, points: 40}
  - {name: many, title: Many rows, points: 60}
cases:
  - name: small
    visibility: sample
    part: few
    doc: Two numbers.
    inputs:
      x: [[1, 2.5, 3]]
      n: 2
      options: {verbose: true, weights: {array: [1, 2], dtype: float32}, drawn: [{draw: permutation, n: 3}]}
      word: text
  - name: large
    sealed: true
    part: many
    repeat: 2
    inputs:
      x: {draw: normal, shape: [100, 3], loc: 1.0, scale: 2.0}
      n: {draw: integers, low: 1, high: 5}
      options: {weights: {draw: uniform, shape: [3], low: 0.0, high: 1.0}}
      word: {draw: choice, of: [one, two]}
  - {name: made, part: many, generate: make, with: {width: 3}}
hints: [Use JAX.]
quiz:
  - {question: "What is 1 + 1?", choices: ["1", "2"], answer: 1, explanation: Count.}
license: CC-BY-4.0
sources: [A paper of the year 2020]
statement: Solve it.
starter: "def solve(x, n, options, word): ..."
reference: "def solve(x, n, options, word): return {}"
generators: "def make(seed, width): return {}"
property: "def check(inputs, expected, answer): return True"
editorial: Like so.
notes: Measured.
submissions:
  accepted: {plain: "def solve(x, n, options, word): return {}"}
  wrong_answer: {empty: "'Mistake: nothing.'"}
"""
# Keys that no manifest has together with those above.
WITH_DRIVER = """\
title: A driver
summary: A manifest with a driver.
difficulty: beginner
estimated_minutes: 5
frameworks: [torch]
entry_point: solve
parameters:
  - {name: model, type: torch.nn.Module, doc: what to train}
  - {name: lr, type: float}
inputs:
  - {name: weights, type: dict, leaves: torch, dtype: float32, doc: where it starts}
  - {name: lr, type: float}
returns: {type: list}
requirements: [{calls: optimizer.step, count: 2}]
cases:
  - {name: small, visibility: sample, inputs: {weights: {w: {array: [1]}}, lr: 1}}
statement: Solve it.
starter: "def solve(model, lr): ..."
reference: "def solve(model, lr): return []"
driver: "def run(solution, inputs): return solution(1, 2)"
submissions:
  accepted: {plain: "def solve(model, lr): return []"}
  wrong_answer: {empty: "'Mistake: nothing.'"}
"""
KINDS = {path.parent.name: path.read_text() for path in (Path(__file__).parents[1] / "kinds").glob("*/problem.yaml")}
TEXTS = {"every key": PROBLEM, "with a driver": WITH_DRIVER, **KINDS}
QUICK = ("every key", "with a driver", "any_rank")
MARKED = [
    pytest.param(text, id=name, marks=[] if name in QUICK else [pytest.mark.whole]) for name, text in TEXTS.items()
]
HUGE = 10**60
WRONG: tuple[Any, ...] = (
    "nonsense",
    "Not a Word!",
    "np.mean",
    "object",
    "two\nlines",
    "",
    None,
    True,
    -1,
    0.5,
    HUGE,
    nan,
    inf,
    [],
    ["nonsense"],
    ["np.mean"],
    [None],
    [[1], "a"],
    [{"name": 3}],
    {},
    {"nonsense": 1},
    {"name": "x", "checker": "nonsense", "draw": []},
    "x" * 5000,
)
# What takes values of any kind: a scalar for a mapping may be right there.
ANYTHING = ("inputs", "with")
# Takes true, or a list of names.
TWO_KINDS = ("answer", "state")


def read(document: Document) -> list[Fault]:
    """Read the document like a package, without the text of its YAML."""
    problem, faults = read_problem_file(document)
    parts = gather({}, document, frozenset())
    found = [*faults, *parts.faults, *list_code_faults(parts, document, problem)]
    assert found or problem is not None
    return found


def places(value: Any, where: Location = ()) -> Iterator[Location]:
    if where:
        yield where
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*where, key))


def changed(value: Any, where: Location, new: Any) -> Any:
    if not where:
        return new
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[where[0]] = changed(copy[where[0]], where[1:], new)
    return copy


def value_at(value: Any, where: Location) -> Any:
    for key in where:
        value = value[key]
    return value


# The quick run tries a part of the values at each place, and other values at the next place.
@pytest.mark.parametrize("share", [8, pytest.param(1, marks=pytest.mark.whole)])
@pytest.mark.parametrize("text", MARKED)
def test_a_wrong_value_anywhere_is_refused_with_its_place_and_never_raises(text: str, share: int) -> None:
    document = read_document("problem.yaml", text)
    assert document.content is not None
    assert read(document) == []

    for number, where in enumerate(places(document.content)):
        before = value_at(document.content, where)
        for new in WRONG[number % share :: share]:
            faults = read(replace(document, content=changed(document.content, where, new)))
            assert all(fault.file and fault.message and fault.remedy for fault in faults), (where, new)
            assert all(fault.line > 0 or fault.message in ("is missing", "has no solution") for fault in faults), (
                where,
                new,
            )
            is_other_kind = isinstance(new, list | dict) != isinstance(before, list | dict)
            is_free = bool(set(ANYTHING) & set(where[2:])) or where == TWO_KINDS
            is_held_to_a_kind = new not in (None, [], {}) and not is_free
            if is_other_kind and is_held_to_a_kind:
                assert faults, (where, new)


@pytest.mark.parametrize("text", MARKED)
def test_an_unknown_key_anywhere_is_refused(text: str) -> None:
    document = read_document("problem.yaml", text)
    assert document.content is not None

    for where in ((), *places(document.content)):
        value = value_at(document.content, where)
        is_free = set(ANYTHING) & set(where[2:]) or where in (("checkers",), ("tolerance", "leaves"))
        if isinstance(value, dict) and not is_free and where[:1] != ("submissions",):
            faults = read(replace(document, content=changed(document.content, where, value | {"nonsense": 1})))
            assert any("nonsense" in fault.key or "nonsense" in fault.message for fault in faults), where


def test_the_manifest_of_these_tests_uses_every_key() -> None:
    used = {key for text in TEXTS.values() for key in read_document("", text).content or {}}

    assert used == manifest_schema()["properties"].keys()


def test_every_pattern_of_the_format_has_words() -> None:
    def patterns(schema: Any) -> Iterator[str]:
        if isinstance(schema, dict):
            if isinstance(schema.get("pattern"), str):
                yield schema["pattern"]
            for item in schema.values():
                yield from patterns(item)
        elif isinstance(schema, list):
            for item in schema:
                yield from patterns(item)

    assert set(patterns(manifest_schema())) <= PATTERNS.keys()
