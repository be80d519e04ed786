"""What holds of every checker: no answer makes it fail, and none passes by accident."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from app.judging.checkers import CHECKERS
from app.judging.comparison import Comparison, compare
from app.judging.leaf import Tree
from tests.judging.checkers.examples import EXAMPLES, rules, same_sum

NAN, INF = float("nan"), float("inf")
SHAPE = (6, 4)
HOSTILE: list[Any] = [
    *(None, {}, [], (), [[]], "", "right", b"\x00", {"": None}, [None], True, 0, 1.0, 1j, NAN, -INF, 2**80, -(2**80)),
    *(np.zeros(()), np.zeros((0,)), np.zeros((6, 0)), np.zeros((0, 4)), np.zeros((4, 6)), np.zeros((1, 6, 4))),
    *(np.full(SHAPE, value) for value in (NAN, INF, -INF, 0.0, -0.0, 1e308, -1e308, 5e-324)),
    *(np.full(SHAPE, value, np.float32) for value in (NAN, INF, 0.0, 3e38, 1e-45)),
    np.full(SHAPE, complex(NAN, INF)),
    np.full(SHAPE, 1e308 + 1e308j),
    np.where(np.eye(6, 4), NAN, 0.0),
    np.where(np.eye(6, 4), INF, -INF),
    *(np.full(SHAPE, 1).astype(dtype) for dtype in ("bool", "int8", "uint64", "float16", "complex64")),
    *(np.full(SHAPE, 1).astype(getattr(ml_dtypes, name)) for name in ("bfloat16", "float8_e5m2", "int4", "uint2")),
    np.full(SHAPE, np.iinfo(np.int64).min),
    np.full(SHAPE, np.iinfo(np.uint64).max),
]


def judge(name: str, answer: Tree, policy: Any = "any") -> Comparison:
    example = EXAMPLES[name]
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


@pytest.mark.parametrize("name", CHECKERS)
def test_the_expected_output_is_right(name: str) -> None:
    expected: Any = EXAMPLES[name].expected

    for policy in ("exact", "kind", "any"):
        found = judge(name, expected.copy(), policy)
        assert (found.accepted, found.category) == (True, None)
        assert found.leaves[0].message == ""
        assert found.leaves[0].tolerance_used in (None, 0.0) or found.leaves[0].tolerance_used < 1.0


@pytest.mark.parametrize("answer", HOSTILE, ids=lambda answer: repr(answer)[:40].replace("\n", " "))
@pytest.mark.parametrize("name", CHECKERS)
def test_a_hostile_answer_is_refused_with_a_sentence(name: str, answer: Tree) -> None:
    found = judge(name, answer)

    assert not found.accepted
    assert found.category
    assert found.message
    if found.leaves:
        assert found.leaves[0].checker == name
