import json
from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import given, settings

from app.judging.report import MAX_LEAVES, copyable_preview, preview
from tests.examples import examples
from tests.values.trees import trees


def only_leaf(tree: Any) -> dict[str, Any]:
    (leaf,) = preview(tree)["leaves"]
    return leaf  # type: ignore[no-any-return]


@settings(max_examples=examples(200), deadline=None)
@given(trees)
def test_a_preview_of_any_tree_is_json_that_postgresql_takes(tree: Any) -> None:
    text = json.dumps(copyable_preview(tree), allow_nan=False, ensure_ascii=False)

    assert "\x00" not in text
    text.encode()
    assert "\\u0000" not in text.replace("\\\\u0000", "")


def test_a_small_array_is_shown_whole_and_short() -> None:
    array = np.array([[0.1, 2], [np.nan, -np.inf]], np.float32)

    assert only_leaf(array) == {
        "path": "",
        "dtype": "float32",
        "shape": [2, 2],
        "values": [[0.1, 2.0], ["nan", "-inf"]],
    }


def test_a_large_array_is_shown_by_what_tells_most() -> None:
    array = np.arange(1000, dtype=np.float32).reshape(10, 100)
    array[0, :3] = [np.nan, np.inf, -np.inf]

    leaf = only_leaf({"params": array})

    assert (leaf["path"], leaf["shape"], leaf["min"], leaf["max"]) == ("params", [10, 100], 3.0, 999.0)
    assert leaf["first"] == ["nan", "inf", "-inf", 3.0, 4.0, 5.0, 6.0, 7.0]
    assert (leaf["nan"], leaf["inf"]) == (1, 2)


def test_an_array_with_nothing_finite_has_no_mean() -> None:
    assert only_leaf(np.full(100, np.nan))["nan"] == 100
    assert "mean" not in only_leaf(np.full(100, np.nan))


def test_scalars_texts_and_none_are_shown_as_they_are() -> None:
    shown = [
        leaf["values"]
        for leaf in preview([0.5, 3, True, None, "a\x00b", 2**60, 1j, np.array(0.5, ml_dtypes.bfloat16)])["leaves"]
    ]

    assert shown == [0.5, 3, True, None, "a\\x00b", str(2**60), "1j", 0.5]


def test_a_tree_of_many_leaves_says_how_many_are_left_out() -> None:
    shown = preview({str(i): i for i in range(MAX_LEAVES + 3)})

    assert (len(shown["leaves"]), shown["left_out"]) == (MAX_LEAVES, 3)
    assert shown["structure"].startswith("a dict with the keys '0', '1'")


def test_an_empty_array_of_large_shape_is_small() -> None:
    assert only_leaf(np.zeros((10**6, 0)))["values"] == []
