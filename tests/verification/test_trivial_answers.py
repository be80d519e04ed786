"""The trivial answers that are made from a case."""

import numpy as np
import pytest

from app.judging.leaf import Tree
from app.verification.trivial import Case, answers_of
from tests.verification.bench import make_case


def a_case(name: str, expected: Tree, **inputs: Tree) -> Case:
    return Case.open(make_case(name, expected, inputs))


def answers(case: Case, *others: Case) -> dict[str, Tree]:
    return dict(answers_of(case, [case, *others]))


def test_an_answer_keeps_the_structure_of_the_expected_one() -> None:
    given = answers(a_case("a", {"loss": [1.5, 2.5], "steps": 3}))

    assert given["zeros"] == {"loss": [0.0, 0.0], "steps": 0}
    assert given["mean"] == {"loss": [7 / 3, 7 / 3], "steps": 2}


def test_an_answer_equal_to_the_expected_one_is_left_out() -> None:
    symmetric = answers(a_case("a", np.eye(2, dtype=np.float32)))
    plain = answers(a_case("a", np.array([[1, 2], [3, 4.1]], np.float32)))

    assert "transposed" not in symmetric
    assert "transposed" in plain


@pytest.mark.parametrize("expected", [8.0, 8, True, 8 + 1j])
def test_a_plain_number_changes_only_where_its_value_does(expected: Tree) -> None:
    given = answers(a_case("a", expected))

    assert "transposed" not in given
    assert type(given["zeros"]) is type(expected)


def test_each_input_is_an_answer() -> None:
    given = answers(a_case("a", np.array(1, np.float32), x=np.array([2], np.float32), n=3))

    assert given["input:n"] == 3
    assert "input:x" in given


def test_the_answer_of_another_case_has_the_same_shapes() -> None:
    case = a_case("a", np.array([1, 2], np.float32))

    given = answers(
        case, a_case("longer", np.array([1, 2, 3], np.float32)), a_case("other", np.array([5, 6], np.float32))
    )

    assert np.array_equal(np.asarray(given["other_case"]), [5, 6])


def test_texts_are_answered_by_texts() -> None:
    given = answers(a_case("a", "up"), a_case("b", "down"), a_case("c", "down"))

    assert given["usual_text"] == "down"
    assert given["other_case"] == "down"
    assert not {"zeros", "ones", "mean", "nan", "empty_array"} & given.keys()


def test_a_text_is_no_trivial_answer_where_other_cases_expect_numbers() -> None:
    given = answers(a_case("a", "no mean"), a_case("b", 2.5), a_case("c", 3.5))

    assert "usual_text" not in given


def test_an_answer_of_zeros_knows_no_text() -> None:
    given = answers(a_case("a", {"label": "up", "count": 0}), a_case("b", {"label": "up", "count": 2}))

    assert given["zeros"] == {"label": "", "count": 0}
    assert given["mean"] == {"label": "up", "count": 1}


def test_integers_of_any_size_are_answered_by_small_ones() -> None:
    given = answers(a_case("a", 10**30))

    assert (given["zeros"], given["ones"]) == (0, 1)


def test_an_answer_that_is_the_same_bool_as_another_is_left_out() -> None:
    given = answers(a_case("a", True), a_case("b", False))

    assert {"zeros", "ones"} <= given.keys()
    assert "mean" not in given
