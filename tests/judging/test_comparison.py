"""The rules of checking, one by one, and the sentences that go with them."""

from collections import OrderedDict
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from app.judging.checkers.gradient import Gradient
from app.judging.comparison import Comparison, Rules, compare
from app.judging.leaf import Tree
from app.judging.tolerance_comparison import PIECE, Tolerance

NAN, INF = float("nan"), float("inf")


def f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def judge(answer: Any, expected: Any, **rules: Any) -> Comparison:
    return compare(answer, expected, Rules(**rules))


def verdict(answer: Tree, expected: Tree, **rules: Any) -> str | None:
    return judge(answer, expected, **rules).category


def test_an_equal_tree_is_accepted() -> None:
    tree = {"loss": 0.5, "params": [f32(1, 2), (None, "adam", b"x")], 3: np.array(True)}

    found = judge(tree, tree)

    assert (found.accepted, found.category) == (True, None)
    assert [leaf.path for leaf in found.leaves] == ["loss", "params/0", "params/1/0", "params/1/1", "params/1/2", "3"]


named = OrderedDict  # so a named tuple arrives


LISTS, EXACT, LOOSE = {"accept_lists": True}, {"dtype_policy": "exact"}, {"tolerance": Tolerance(rtol=1e30, atol=1e30)}
MICRO = {"tolerance": Tolerance(rtol=0, atol=1e-6)}
LONG_TEXT = ["x" * 2**20, *[""] * 90_000]  # NumPy would make an array of texts of this length
EMPTY: tuple[Any, ...] = (None, [], {}, (), {"loss": None})
# answer, expected, rules, message
WRONG: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([1.0, 2.0], f32(1, 2), {}, "your output is a list of length 2; expected an array of shape (2,)"),
    (f32(1, 2), [1.0, 2.0], {}, "your output is an array of shape (2,); expected a list of length 2"),
    ([1.0], [1.0, 2.0], {}, "your output has 1 item; expected 2"),
    ({"a": 1, "c": 1}, {"a": 1, "b": 1}, {}, "your output is missing the key 'b'; it has the keys 'a', 'c'"),
    ({"a": 1, "c": 1}, {"a": 1}, {}, "your output has the key 'c' in addition; expected only the key 'a'"),
    ({"p": [1.0, None]}, {"p": [1.0, 2.0]}, {}, "`p/1` is None; expected a float"),
    ({"p": [{}]}, {"p": [{"w": 1}]}, {}, "your output holds no value; expected a dict with the key 'p'"),
    ("1.0", 1.0, {}, "your output is a str; expected a float"),
    (1.0, "1.0", {}, "your output is a float; expected a str"),
    (b"a", "a", {}, "your output is a bytes; expected a str"),
    ({"name": "Adam"}, {"name": "adam"}, {}, "`name` is 'Adam'; expected 'adam'"),
    (
        None,
        np.zeros((2, 3)),
        {},
        "your output is None; expected an array of shape (2, 3) (does your function return its result?)",
    ),
    ((2, 1), named(sign=1, log=2), {}, "`sign`: yours 2, expected 1 (must be equal)"),
    (named(s=1), (1, 2), {}, "your output has 1 item; expected 2"),
    (
        named(s=1, l=2),
        {"sign": 1, "log": 2},
        {},
        "your output is missing the keys 'sign', 'log'; it has the keys 's', 'l'",
    ),
    (np.zeros((2, 3)), np.zeros((3, 2)), {}, "your output has shape (2, 3); expected (3, 2)"),
    ({"p": {"w": np.zeros(2)}}, {"p": {"w": np.zeros(3)}}, {}, "`p/w` has shape (2,); expected (3,)"),
    (0.5, np.float32(0.5), EXACT, "your output has dtype float; expected float32"),
    (np.float32(0.1), np.float32(0.2), {}, "your output is 0.1; expected 0.2 (allowed ±1.03e-5)"),
    ({"bias": f32(-0.36736995)}, {"bias": f32(0)}, MICRO, "`bias`: yours −0.367, expected 0 (allowed ±1e-6)"),
    (
        f32(1, NAN, 9),
        f32(1, 2, 3),
        {},
        "your output: 2 of 3 elements differ; first nan or inf mismatch at (1,): yours nan, expected 2",
    ),
    (
        [[1.0], [1.0, 2.0]],
        f32([1, 2], [3, 4]),
        LISTS,
        "your output is a list of length 2; expected an array of shape (2, 2)",
    ),
    (["1", "2"], f32(1, 2), LISTS, "your output is a list of length 2; expected an array of shape (2,)"),
    ([1.5, 2.0], np.array([1, 2]), LISTS, "your output has dtype float64; expected int64"),
    ([[1.0, 2.0]], f32(1, 2), LISTS, "your output has shape (1, 2); expected (2,)"),
    ([10**30, 1], np.array([1, 2]), LISTS, "your output is a list of length 2; expected an array of shape (2,)"),
    ([None, 1.0], f32(1, 2), LISTS, "your output is a list of length 2; expected an array of shape (2,)"),
    ([{"a": 1.0}], f32(1), LISTS, "your output is a list of length 1; expected an array of shape (1,)"),
]


@pytest.mark.parametrize(("answer", "expected", "rules", "message"), WRONG, ids=[row[3] for row in WRONG])
def test_the_message_says_what_is_wrong_and_where(
    answer: Tree, expected: Tree, rules: dict[str, Any], message: str
) -> None:
    found = judge(answer, expected, **rules)

    assert not found.accepted
    assert found.message == message


# category, rules, pairs of an answer and what was expected
CATEGORIES: list[tuple[str, dict[str, Any], list[tuple[Any, Any]]]] = [
    (
        "shape differs",
        {},
        [
            (f32([1, 1]), f32(1, 1)),
            (f32(1), np.float32(1)),
            (1.0, f32(1.0)),
            (np.zeros((0,)), np.zeros((0, 3))),
            (np.zeros((0,)), np.zeros((1,))),
            (np.zeros((1, 3)), np.zeros((3, 1))),
        ],
    ),
    (
        "nan or inf differs",
        LOOSE,
        [
            (f32(NAN, 1), f32(0, 1)),
            (f32(0, 1), f32(NAN, 1)),
            (f32(INF), f32(-INF)),
            (f32(INF), f32(1)),
            (f32(1e38), f32(INF)),
            (f32(NAN), f32(INF)),
            (f32(INF), f32(NAN)),
            (NAN, 0.0),
            (np.array([complex(INF, 1)]), np.array([complex(INF, 2)])),
            (np.array([complex(NAN, 0)]), np.array([complex(0, 0)])),
            (np.array([NAN], ml_dtypes.bfloat16), np.array([1], ml_dtypes.bfloat16)),
        ],
    ),
    ("values outside tolerance", {"tolerance": Tolerance(rtol=10.0, atol=1e308)}, [(1.7e308, -1.7e308)]),
    ("values outside tolerance", {"leaves": {"*": Tolerance(rtol=1.0, atol=1.0)}}, [(True, False)]),
    ("empty output", {}, [(nothing, {"loss": 1.0}) for nothing in EMPTY]),
    ("structure differs", LISTS, [(LONG_TEXT, f32(1, 2))]),
]


@pytest.mark.parametrize(("category", "rules", "pairs"), CATEGORIES)
def test_the_first_broken_rule_is_the_category(
    category: str, rules: dict[str, Any], pairs: list[tuple[Tree, Tree]]
) -> None:
    for answer, expected in pairs:
        assert verdict(answer, expected, **rules) == category, (answer, expected)


def test_an_exact_dtype_takes_a_python_float_for_float64() -> None:
    assert judge(0.5, np.float64(0.5), **EXACT).accepted


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (named(sign=1, log=2), (1, 2)),
        (named(sign=1, log=2), {"log": 2, "sign": 1}),
        ((1, 2), named(sign=1, log=2)),
        ({"log": 2, "sign": 1}, named(sign=1, log=2)),
        (named(s=1, l=2), named(sign=1, log=2)),
        (named(log=2, sign=1), named(sign=1, log=2)),
        ([named(a=named(b=1), c=(2,))], ([(1,), named(d=2)],)),
        (named(), {}),
    ],
    ids=repr,
)
def test_a_named_tuple_equals_a_sequence_by_position_and_a_dict_by_its_names(answer: Tree, expected: Tree) -> None:
    assert judge(answer, expected).accepted
    assert judge(answer, expected, accept_lists=True).accepted


def test_lists_and_tuples_stand_for_each_other() -> None:
    assert judge([1.0, (2.0,)], (1.0, [2.0])).accepted


def test_a_python_number_is_an_array_of_no_dimensions() -> None:
    for number, array in (
        (0.5, np.float32(0.5)),
        (3, np.array(3, np.uint8)),
        (True, np.array(True)),
        (1j, np.array(1j)),
    ):
        assert judge(number, array).accepted
        assert judge(array, number).accepted


@pytest.mark.parametrize(
    ("answer", "exact", "kind", "any_number"),
    [
        (f32(1), True, True, True),
        (np.ones(1, np.float64), False, True, True),
        (np.ones(1, ml_dtypes.bfloat16), False, True, True),
        (np.ones(1, np.int32), False, False, True),
        (np.ones(1, np.bool_), False, False, True),
        (np.ones(1, np.complex64), False, False, True),
    ],
)
def test_the_dtype_follows_the_policy(answer: Tree, exact: bool, kind: bool, any_number: bool) -> None:
    policies = {"exact": exact, "kind": kind, "any": any_number}

    for policy, accepted in policies.items():
        assert verdict(answer, f32(1), dtype_policy=policy) == (None if accepted else "dtype differs")


def test_all_nan_is_accepted_where_all_nan_is_expected() -> None:
    found = judge(f32(NAN, NAN), f32(NAN, NAN))

    assert found.accepted
    assert (found.leaves[0].max_abs, found.leaves[0].tolerance_used) == (None, None)


def test_the_tolerance_includes_its_limit() -> None:
    rules = {"tolerance": Tolerance(rtol=0.25, atol=0.5)}

    at_limit = judge(np.array([3.0]), np.array([2.0]), **rules)
    beyond = judge(np.array([3.0 + 2**-50]), np.array([2.0]), **rules)

    assert (at_limit.accepted, at_limit.leaves[0].tolerance_used) == (True, 1.0)
    assert beyond.category == "values outside tolerance"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.array([2**53 + 1]), np.array([2**53])),
        (np.array([2**63 - 1]), np.array([2**63 - 2])),
        (np.array([2**64 - 1], np.uint64), np.array([2**64 - 2], np.uint64)),
        (np.array([-1]), np.array([2**64 - 1], np.uint64)),
        (np.array([-(2**63)]), np.array([2**63], np.uint64)),
        (np.array([0], np.uint8), np.array([255], np.uint8)),
        (2**70, 2**70 + 1),
        (2**70, 2**63 - 1),
        (-(2**70), -(2**70) + 1),
    ],
)
def test_integers_are_exact_to_the_last_bit(answer: Tree, expected: Tree) -> None:
    assert judge(answer, answer).accepted
    assert judge(expected, expected).accepted
    for given, wanted in ((answer, expected), (expected, answer)):
        assert verdict(given, wanted) == "values outside tolerance"


def test_integers_of_different_sign_and_width_are_equal_by_value() -> None:
    assert judge(np.array([7], np.int8), np.array([7], np.uint64)).accepted
    assert judge(np.array([-3], ml_dtypes.int4), np.array([-3])).accepted


def test_the_difference_of_unsigned_integers_does_not_wrap() -> None:
    found = judge(np.array([0], np.uint8), np.array([255], np.uint8), leaves={"*": Tolerance(rtol=0.0, atol=1.0)})

    assert found.leaves[0].max_abs == 255


def test_a_named_integer_leaf_may_be_off_by_its_tolerance() -> None:
    rules = {"leaves": {"count": Tolerance(rtol=0.0, atol=1.0)}}

    assert judge({"count": 2**62 + 1}, {"count": 2**62}, **rules).accepted
    assert not judge({"count": 2**62 + 2}, {"count": 2**62}, **rules).accepted


def test_a_float_matches_an_expected_integer_only_when_it_is_that_integer() -> None:
    assert judge(np.array([3.0]), np.array([3]), dtype_policy="any").accepted
    for given, wanted in (
        (3.0000001, 3),
        (float(2**53), 2**53 + 1),
        (2.0**63, 2**63 - 1),
        (2.0**64, 2**64 - 1),
        (NAN, 3),
    ):
        assert not judge(given, wanted, dtype_policy="any").accepted
    assert judge(2.0**70, 2**70, dtype_policy="any").accepted
    assert not judge(INF, 2**70, dtype_policy="any").accepted


@pytest.mark.parametrize("expected", [None, [], {}, (), [[], {}], [None], {"a": None, "b": []}], ids=repr)
def test_where_nothing_is_expected_nothing_else_is_right(expected: Tree) -> None:
    assert judge(expected, expected).accepted
    others: list[Tree] = [0.0, "", [0], [[]], {"a": None}, np.zeros(0), False]
    for other in others:
        assert not judge(other, expected).accepted


def test_none_is_right_where_it_is_expected_whatever_checker_the_other_cases_have() -> None:
    checkers = {"*": Gradient(checker="gradient", relative=0.1)}

    assert judge(None, None, checkers=checkers).accepted
    assert judge(f32(1.05), f32(1), checkers=checkers).accepted


def test_the_first_rule_that_is_broken_anywhere_is_told() -> None:
    expected = {"values": f32(1), "nans": f32(1), "dtype": f32(1), "shape": f32(1)}
    answer = {"values": f32(2), "nans": f32(NAN), "dtype": np.array([1]), "shape": f32(1, 1)}

    told = []
    for fixed in ("shape", "dtype", "nans", "values"):
        told.append(verdict(answer, expected))
        answer[fixed] = expected[fixed]

    assert told == ["shape differs", "dtype differs", "nan or inf differs", "values outside tolerance"]
    assert judge(answer, expected).accepted


def test_a_message_counts_what_differs_and_shows_the_furthest() -> None:
    expected = np.zeros((64, 64), np.float32) + 0.25
    answer = expected.copy()
    answer[:2, :8] += 0.1
    answer[3, 7] = 0.51

    found = judge(
        {"params": {"kernel": answer}}, {"params": {"kernel": expected}}, tolerance=Tolerance(rtol=0, atol=1e-5)
    )

    assert found.message == (
        "`params/kernel`: 17 of 4096 elements differ; worst at (3, 7): yours 0.51, expected 0.25 (allowed ±1e-5)"
    )
    leaf = found.leaves[0]
    assert (leaf.outside, leaf.size, leaf.worst_index) == (17, 4096, (3, 7))
    assert leaf.max_abs == pytest.approx(0.26)
    assert leaf.max_rel == pytest.approx(1.04)
    assert leaf.tolerance_used == pytest.approx(26_000)


def test_arrays_of_many_pieces_are_judged_as_one() -> None:
    expected = np.zeros(2 * PIECE + 10)
    answer = expected.copy()
    answer[[5, PIECE + 5, 2 * PIECE + 5]] = [1.0, 3.0, 2.0]

    leaf = judge(answer, expected).leaves[0]

    assert (leaf.outside, leaf.worst_index, leaf.max_abs) == (3, (PIECE + 5,), 3.0)

    answer[-1] = NAN
    leaf = judge(answer, expected).leaves[0]
    assert (leaf.category, leaf.outside, leaf.worst_index) == ("nan or inf differs", 4, (2 * PIECE + 9,))


def test_an_array_that_the_codec_would_not_let_through_is_our_fault() -> None:
    for array in (np.array([object()]), np.array([1], np.longdouble), np.array(["a"])):
        with pytest.raises(TypeError):
            judge(array, array)


@pytest.mark.parametrize(
    ("changed", "worst"),
    [
        ({"a": 2.0, "b": 900.0}, "b"),
        ({"a": 900.0, "c": NAN}, "c"),
        ({"a": NAN, "d": INF, "b": 9e9}, "a"),
        ({"a": NAN, "b": 2}, "b"),
        ({"a": NAN, "b": 2, "d": f32(1)}, "d"),
        ({"a": 900.0, "word": "other"}, "word"),
        ({"a": 3.0, "b": 3.0}, "a"),
    ],
)
def test_a_leaf_that_is_infinitely_far_off_is_worse_than_any_that_is_not(changed: dict[str, Any], worst: str) -> None:
    expected = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0, "word": "same"}

    assert judge({**expected, **changed}, expected).message.startswith(f"`{worst}`")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([1.0, 2.0], f32(1, 2)),
        ([[1, 2], (3, 4)], f32([1, 2], [3, 4])),
        ([f32(1, 2), [3, 4]], f32([1, 2], [3, 4])),
        ([], f32()),
        ([1, 2], np.array([1, 2])),
        ({"w": [[1.0]], "n": 3}, {"w": f32([1]), "n": 3}),
        ([[True, False]], np.array([[True, False]])),
    ],
)
def test_lists_stand_for_arrays_where_the_problem_accepts_them(answer: Tree, expected: Tree) -> None:
    assert judge(answer, expected, accept_lists=True).accepted
    assert not judge(answer, expected).accepted


@pytest.mark.parametrize(
    ("answer", "category"),
    [
        ({"loss": 1.0}, None),
        ({"loss": 1.0, "history": f32(1, 2)}, None),
        ({"loss": 1.0, "history": f32(1, 3)}, "values outside tolerance"),
        ({"history": f32(1, 2)}, "structure differs"),
        ({"loss": 1.0, "other": 1}, "structure differs"),
    ],
)
def test_an_optional_key_counts_only_if_it_is_given(answer: Tree, category: str | None) -> None:
    expected: Tree = {"loss": 1.0, "history": f32(1, 2)}

    assert verdict(answer, expected, optional=frozenset({"history"})) == category
