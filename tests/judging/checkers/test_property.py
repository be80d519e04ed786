"""`property`: what the package's code says, made into findings. `tests/worker/test_custom_checker.py` runs the code."""

from typing import Any

import numpy as np
import pytest

from app.judging.checker import CheckerUnfit
from app.judging.comparison import Comparison, compare
from app.judging.leaf import Tree
from tests.judging.checkers.examples import rules

EXPECTED: Tree = {"q": np.eye(2), "r": np.ones((2, 2)), "loss": 0.5}
CHECKERS: dict[str, Any] = {"q": {"checker": "property"}, "r": {"checker": "property"}}


def judge(said: Any, answer: Tree = EXPECTED, checkers: dict[str, Any] = CHECKERS) -> Comparison:
    return compare(answer, EXPECTED, rules(checkers), lambda: said)


def refuse_to_say() -> object:
    raise AssertionError("the checker must not be asked")


@pytest.mark.parametrize("said", [True, np.array(True), {"q": True, "r": True}])
def test_an_answer_that_the_authors_checker_accepts_is_right(said: Any) -> None:
    assert judge(said, {"q": np.zeros((2, 2)), "r": np.zeros((2, 2)), "loss": 0.5}).accepted


@pytest.mark.parametrize(
    ("said", "message", "categories"),
    [
        (False, "`q`: the answer does not have the required property", [True, True]),
        (np.array(False), "`q`: the answer does not have the required property", [True, True]),
        ("q is not orthogonal", "`q`: q is not orthogonal", [True, True]),
        ({"q": True, "r": "is not triangular"}, "`r`: is not triangular", [False, True]),
        ({"q": "no\x1b[2J", "r": True}, "`q`: no\\x1b[2J", [True, False]),
    ],
)
def test_an_answer_that_the_authors_checker_refuses_is_wrong_with_the_reason(
    said: Any, message: str, categories: list[bool]
) -> None:
    found = judge(said)

    assert (found.category, found.message) == ("property does not hold", message)
    assert [leaf.category == "property does not hold" for leaf in found.leaves] == [*categories, False]


@pytest.mark.parametrize(
    "said", [None, 1, 0, "", "  ", {}, {"q": True}, {"q": 1, "r": 1}, [True], np.array([True]), 0.5]
)
def test_anything_else_is_the_authors_mistake(said: Any) -> None:
    with pytest.raises(CheckerUnfit, match=r"checker\.py returned"):
        judge(said)


@pytest.mark.parametrize(
    "answer",
    [
        {"q": np.eye(3), "r": np.ones((2, 2)), "loss": 0.5},
        {"q": np.eye(2), "r": np.ones((2, 2)), "loss": 0.75},
        {"q": np.eye(2), "r": np.ones((2, 2), int), "loss": 0.5},
        {"q": np.eye(2), "loss": 0.5},
        None,
    ],
)
def test_the_property_is_not_asked_about_an_answer_that_is_wrong_anyway(answer: Tree) -> None:
    assert not compare(answer, EXPECTED, rules(CHECKERS), refuse_to_say).accepted


def test_the_shape_is_free_where_the_author_says_so() -> None:
    checkers: Any = {"*": {"checker": "property", "shape": "any"}}
    answer: Tree = {"q": np.eye(3), "r": np.ones(7), "loss": 0.25}

    assert judge(True, answer, checkers).accepted
    assert judge(True, {"q": 1.0}, checkers).category == "structure differs"


def test_without_a_box_to_ask_in_nothing_is_accepted() -> None:
    with pytest.raises(CheckerUnfit, match=r"checker\.py is needed, but there is no box"):
        compare(EXPECTED, EXPECTED, rules(CHECKERS))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_nan_and_inf_are_wrong_without_asking_where_all_is_finite_in_the_reference(value: float) -> None:
    answer: Tree = {"q": np.array([[1.0, 0.0], [0.0, value]]), "r": np.ones((2, 2)), "loss": 0.5}

    found = judge(True, answer)

    assert (found.category, found.message) == (
        "nan or inf differs",
        f"`q` holds {value} at (1, 1); expected finite numbers",
    )
    assert compare(answer, answer, rules(CHECKERS), lambda: True).accepted
