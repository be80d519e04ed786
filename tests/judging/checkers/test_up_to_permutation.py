"""`up_to_permutation`: an axis, groups of leaves, and labels."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.judging.checker import CheckerUnfit
from app.judging.checkers.up_to_permutation import NO_LABEL
from app.judging.comparison import Comparison, compare
from app.judging.leaf import Array, Tree
from app.judging.tolerance_comparison import Tolerance
from tests.examples import examples
from tests.judging.checkers.examples import judge, rules

CLUSTERS: Any = {
    "centres": {"checker": "up_to_permutation", "axis": 0, "group": "clusters"},
    "labels": {"checker": "up_to_permutation", "labels": True, "group": "clusters"},
}
LABELS: Any = {"*": {"checker": "up_to_permutation", "labels": True}}
NAN, INF = float("nan"), float("inf")
DTYPES = ("float16", "float32", "float64", "complex128", "int8", "uint64", "bool")
coordinates = st.sampled_from([0.0, 1.0, 2.0])
near = st.sampled_from([0.0, 0.3, 0.6, 0.9, 1.2, -0.0, NAN, INF, -INF])


def together(answer: Tree, expected: Tree, checkers: Any = CLUSTERS) -> Comparison:
    return compare(answer, expected, rules(checkers, tolerance=Tolerance(rtol=0.0, atol=0.1)))


@settings(max_examples=examples(200), deadline=None)
@given(st.data())
def test_the_order_along_the_axis_does_not_matter(data: st.DataObject) -> None:
    shape = data.draw(array_shapes(max_dims=3, min_side=0, max_side=4))
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    expected = data.draw(arrays(data.draw(st.sampled_from(DTYPES)), shape))

    answer = np.take(expected, data.draw(st.permutations(range(shape[axis]))), axis=axis)

    assert judge("up_to_permutation", answer, expected, axis=axis).accepted


@st.composite
def tables(draw: st.DrawFn) -> tuple[Array, Array]:
    """Up to five columns, many of them near to others, and as many more, half of the time nearly the same ones."""
    shape = (draw(st.integers(1, 3)), draw(st.integers(1, 5)))
    expected = draw(arrays(np.float64, shape, elements=near))
    if draw(st.booleans()):
        return draw(arrays(np.float64, shape, elements=near)), expected
    drift = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.3, -0.3])))
    return expected[:, draw(st.permutations(range(shape[1])))] + drift, expected


@settings(max_examples=examples(400), deadline=None)
@given(tables(), st.sampled_from([0.0, 0.31, 0.61]), st.sampled_from([0.0, 0.1]))
def test_no_order_that_works_is_missed_and_none_is_made_up(
    table: tuple[Array, Array], atol: float, rtol: float
) -> None:
    answer, expected = table

    found = judge("up_to_permutation", answer, expected, tolerance=(rtol, atol), axis=1)

    orders = (answer[:, list(order)] for order in permutations(range(expected.shape[1])))
    works = (np.allclose(order, expected, rtol=rtol, atol=atol, equal_nan=True) for order in orders)
    assert found.accepted == any(works)


@pytest.mark.parametrize(
    ("answer", "expected", "accepted"),
    [
        ([1, 1, 2], [1, 2, 2], False),
        ([NAN, 1.0], [1.0, NAN], True),
        ([NAN, 1.0], [1.0, 2.0], False),
        ([INF, INF], [INF, -INF], False),
        ([-0.0, 1.0], [1.0, 0.0], True),
        ([1j, 1j], [1.0, 1j], False),
        ([True, True], [False, True], False),
        (np.array([2, 1], np.int8), np.array([1, 2], np.uint64), True),
        (np.array([-1, 0]), np.array([2**64 - 1, 0], np.uint64), False),
    ],
)
def test_every_row_counts_as_often_as_it_is_expected(answer: Any, expected: Any, accepted: bool) -> None:
    assert judge("up_to_permutation", np.array(answer), np.array(expected), axis=0).accepted == accepted


def test_a_pairing_may_have_to_change_all_the_way() -> None:
    """Each expected row is near to two of the answer, but the last to one. Sorting by the first column misleads."""
    ascending = np.linspace(0, 0.1, 300)
    expected = np.stack([ascending, np.arange(300.0)], axis=1)
    answer = np.stack([ascending[::-1], np.append(expected[:-1, 1] + 0.5, -0.25)], axis=1)

    assert judge("up_to_permutation", answer, expected, tolerance=(0.0, 0.5), axis=0).accepted


def test_many_rows_are_paired_where_they_must_be_equal() -> None:
    rows = np.zeros((3000, 2), int)

    assert judge("up_to_permutation", rows, rows, axis=0).accepted


def clustered(data: st.DataObject) -> tuple[dict[str, Array], dict[str, Array]]:
    """Clusters under other numbers; often with a mistake, and with centres that are the same."""
    names, points = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    expected = {
        "centres": data.draw(arrays(np.float64, (names, 2), elements=coordinates)),
        "labels": data.draw(arrays(np.int64, points, elements=st.integers(-1, names - 1))),
    }
    order = np.array(data.draw(st.permutations(range(names))))
    number = np.append(np.argsort(order), -1)
    answer = {"centres": expected["centres"][order], "labels": number[expected["labels"]]}
    if data.draw(st.booleans()):
        answer["labels"][data.draw(st.integers(0, points - 1))] = data.draw(st.integers(-2, names))
    return answer, expected


@settings(max_examples=examples(400), deadline=None)
@given(st.data())
def test_centres_and_labels_are_right_under_one_permutation(data: st.DataObject) -> None:
    answer, expected = clustered(data)
    names = len(expected["centres"])

    found = together(answer, expected)

    def is_right(order: tuple[int, ...]) -> bool:
        number = {-2: -2, -1: -1, names: names, **{old: new for new, old in enumerate(order)}}
        labels = [number[label] for label in answer["labels"].tolist()]
        return (
            np.array_equal(answer["centres"][list(order)], expected["centres"])
            and labels == expected["labels"].tolist()
        )

    assert found.accepted == any(map(is_right, permutations(range(names))))


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.tuples(st.integers(-2, 3), st.integers(-2, 3)), min_size=1, max_size=7))
def test_labels_alone_are_right_when_the_partition_is(pairs: list[tuple[int, int]]) -> None:
    answer, expected = np.array(pairs).T

    found = together(answer, expected, LABELS)

    named = {(a, e) for a, e in pairs if a >= 0 or e >= 0}
    is_renaming = len({a for a, _ in named}) == len(named) == len({e for _, e in named})
    keeps_negatives = all((a >= 0) == (e >= 0) and (a >= 0 or a == e) for a, e in pairs)
    assert found.accepted == (is_renaming and keeps_negatives)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (np.array([2**64 - 1, 2**64 - 2], np.uint64), np.array([0, 0])),
        (np.array([2**64 - 1, 0], np.uint64), np.array([-1, 0])),
        (np.array([2**63 - 1, 0]), np.array([0, 0])),
        (np.array([-1, 0]), np.array([1, 0])),
        (np.array([1, 1, 2]), np.array([-1, -1, 0])),
    ],
)
def test_odd_labels_are_no_way_around(answer: Array, expected: Array) -> None:
    assert not together(answer, expected, LABELS).accepted
    centres = {"centres": np.zeros((2, 1))}
    assert not together({**centres, "labels": answer}, {**centres, "labels": expected}).accepted


def test_labels_of_several_leaves_are_renamed_alike() -> None:
    group = {name: LABELS["*"] | {"group": "g"} for name in ("train", "test")}
    expected = {"train": np.array([0, 0, 1]), "test": np.array([1, 0])}

    assert together({"train": np.array([5, 5, 3]), "test": np.array([3, 5])}, expected, group).accepted
    assert not together({"train": np.array([5, 5, 3]), "test": np.array([5, 3])}, expected, group).accepted


def test_eigenvalues_and_columns_are_permuted_together() -> None:
    checkers = {
        "values": {"checker": "up_to_permutation", "axis": 0, "group": "pairs"},
        "vectors": {"checker": "up_to_permutation", "axis": -1, "group": "pairs"},
    }
    values, vectors = np.array([1.0, 2.0]), np.array([[1.0, 0.0], [3.0, 1.0]])

    assert together(
        {"values": values[::-1], "vectors": vectors[:, ::-1]}, {"values": values, "vectors": vectors}, checkers
    ).accepted
    found = together({"values": values[::-1], "vectors": vectors}, {"values": values, "vectors": vectors}, checkers)
    assert not found.accepted


def test_a_message_names_what_is_missing_along_the_axis() -> None:
    expected = np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])

    found = judge("up_to_permutation", expected[:, [2, 1, 1]], expected, tolerance=(0.0, 0.1), axis=1)

    assert found.message == (
        "your output: 1 of 3 expected columns are not in your output; "
        "expected column 0 against your closest unmatched one: worst at (0, 0): yours 2, expected 1 (allowed ±0.1)"
    )


def test_a_message_about_labels_says_how_many_points_are_elsewhere() -> None:
    answer, expected = np.array([2, 2, 2, 0, 0]), np.array([0, 0, 0, 1, 0])

    found = together(answer, expected, LABELS)

    assert found.message == (
        "your output: 1 of 5 labels differ under the best renaming; worst at (4,): yours 1, expected 0"
    )


def test_wrong_labels_beside_right_centres_are_blamed_alone() -> None:
    expected = {"centres": np.array([[0.0], [1.0]]), "labels": np.array([0, 1, 1])}

    found = together({"centres": np.array([[1.0], [0.0]]), "labels": np.array([1, 0, 1])}, expected)

    assert [leaf.category for leaf in found.leaves] == [None, "values outside tolerance"]
    assert found.message.startswith("`labels`: 1 of 3 labels differ")


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"centres": np.zeros((2, 1)), "labels": np.array([2])}, "the label 2, but the group has places 0 to 1"),
        ({"centres": np.zeros((2, 1)), "labels": np.array([NO_LABEL])}, "label beyond 63 bits"),
        ({"centres": np.zeros((3000, 1)), "labels": np.array([0])}, "has 3000 rows of 1 elements"),
    ],
)
def test_an_expected_output_that_can_not_be_judged_is_the_authors_mistake(expected: Any, words: str) -> None:
    with pytest.raises(CheckerUnfit, match=words):
        together(expected, expected)


def test_a_group_needs_as_many_places_in_each_leaf() -> None:
    checkers = dict.fromkeys(("a", "b"), CLUSTERS["centres"])
    expected = {"a": np.zeros((2, 1)), "b": np.zeros((3, 1))}

    with pytest.raises(CheckerUnfit, match="these have leaf a: 2, leaf b: 3"):
        together(expected, expected, checkers)
