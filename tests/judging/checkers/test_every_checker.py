"""Rules for every checker: no answer makes it fail, and none passes by accident."""

import copy
import json
import warnings
from collections.abc import Iterator
from itertools import islice, product
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

from app.judging.checkers import CHECKERS
from app.judging.comparison import Comparison, compare
from app.judging.leaf import Tree
from app.judging.report import Material, build_report
from tests.examples import IS_WHOLE
from tests.judging.checkers.examples import EXAMPLES, VARIANTS, Example, rules, same_sum

NAN, INF = float("nan"), float("inf")
NO_ARRAYS: list[Any] = [
    *(None, {}, [], (), [[]], "", "right", b"\x00", {"": None}, [None], True, 0, 1.0, 1j, NAN, -INF, 2**80, -(2**80)),
    *(np.zeros(()), np.zeros((0,)), np.zeros((6, 0)), np.zeros((0, 4)), np.zeros((4, 6)), np.zeros((1, 6, 4))),
]
NUMBERS = (0.0, -0.0, 1.0, -1.0, NAN, INF, -INF, 5e-324, 1e-45, 3e38, 1e308, -1e308, complex(NAN, INF), 1e308 + 1e308j)
DTYPES: list[Any] = [
    *("bool", "int8", "uint8", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"),
    *(getattr(ml_dtypes, name) for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn", "int4", "uint2")),
]
KEYS = [f"{number}-{name}" for number, (name, _) in enumerate(VARIANTS)]


def hostile(shape: tuple[int, ...]) -> Iterator[Tree]:
    """Yield answers of every dtype, constant and mixed, in the expected shape and in others."""
    yield from NO_ARRAYS
    for dtype, number in product(DTYPES, NUMBERS):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            constant = np.full(shape, number).astype(dtype)
        yield constant
        if constant.size > 1:
            yield np.where(np.arange(constant.size).reshape(shape) % 2, constant, constant.dtype.type(1))
    yield from (np.full(shape, limit) for limit in (np.iinfo(np.int64).min, np.iinfo(np.uint64).max))
    yield np.arange(np.prod(shape, dtype=int)).reshape(shape)


def judge(name: str, answer: Tree, example: Example, policy: Any = "any") -> Comparison:
    chosen = rules({"*": {"checker": name, **example.options}}, dtype_policy=policy)
    return compare(answer, example.expected, chosen, same_sum(answer, example.expected))


def test_every_checker_has_an_example() -> None:
    assert set(EXAMPLES) == set(CHECKERS)


@pytest.mark.parametrize("name", CHECKERS)
def test_a_checker_has_the_name_of_its_file(name: str) -> None:
    assert CHECKERS[name].model_json_schema()["properties"]["checker"]["const"] == name


@pytest.mark.parametrize("name", CHECKERS)
def test_a_checker_says_its_rule_to_students(name: str) -> None:
    (checker,) = rules({"*": {"checker": name, **EXAMPLES[name].options}}).checkers.values()

    assert checker.rule


@pytest.mark.parametrize(("name", "example"), VARIANTS, ids=KEYS)
def test_the_expected_output_is_right(name: str, example: Example) -> None:
    for policy in ("exact", "kind", "any"):
        found = judge(name, copy.copy(example.expected), example, policy)

        assert (found.accepted, found.category) == (True, None)
        assert found.leaves[0].message == ""
        assert found.leaves[0].tolerance_used in (None, 0.0) or found.leaves[0].tolerance_used < 1.0


@pytest.mark.parametrize(("name", "example"), VARIANTS, ids=KEYS)
def test_hostile_answers_are_refused_with_a_sentence(name: str, example: Example) -> None:
    answers = hostile(np.shape(cast(Any, example.expected)))
    for answer in islice(answers, 0, None, 1 if IS_WHOLE else 3):
        found = judge(name, answer, example)

        assert not found.accepted, answer
        assert found.category
        assert found.message
        assert all(leaf.checker == name for leaf in found.leaves)
        json.dumps(build_report("sample", found, Material()), allow_nan=False)
