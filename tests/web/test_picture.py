"""Pictures of what is wrong, from the reports of real comparisons."""

import math
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from app.database.engine import Database
from app.judging.comparison import Rules, compare
from app.judging.report import Material, build_report, preview
from app.judging.verdicts import Visibility
from app.web.picture.figure import Figure, draw_figures, list_shares, most_used
from app.web.picture.leaf_values import wrong_leaves
from tests.examples import examples
from tests.web.judged import answered, judge
from tests.web.submit_form import submit

RIGHT = np.linspace(-1, 1, 6, dtype=np.float32)


def report(answer: Any, expected: Any, visibility: Visibility = "sample", rules: Rules | None = None) -> dict[str, Any]:
    material = Material(answer=preview(answer), expected=preview(expected))
    return build_report(visibility, compare(answer, expected, rules or Rules()), material)


def draw(answer: Any, expected: Any) -> Figure:
    (figure,) = draw_figures(report(answer, expected))
    return figure


def parse(figure: Figure) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(panel.picture) for panel in figure.panels]


def of_class(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [one for one in picture.iter() if name in (one.get("class") or "").split()]


def titles(picture: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in picture.iter("title")]


def with_one_off(array: Any, index: Any, by: float = 0.5) -> Any:
    changed = array.copy()
    changed[index] += by
    return changed


def test_the_message_the_numbers_the_table_and_the_picture_name_the_same_worst_leaf() -> None:
    expected = {"near": np.ones(4), "far": np.ones(4), "losses": [1.0, 1.0, 1.0]}
    answer = {"near": np.full(4, 1.01), "far": np.full(4, 9.0), "losses": [1.0, 1.1, 1.5]}

    found = report(answer, expected)

    assert found["message"].startswith("`far`: ")
    assert [leaf["path"] for leaf in wrong_leaves(found)] == ["far", "losses/2", "losses/1", "near"]
    assert [figure.path for figure in draw_figures(found)] == ["far", "losses", "near"]
    shares = list_shares(found)
    assert [(share.path, share.leaf["path"]) for share in shares] == [
        ("far", "far"),
        ("losses", "losses/2"),
        ("near", "near"),
    ]


def test_a_nan_in_a_list_of_losses_is_where_its_curve_is_marked() -> None:
    found = report([1.0, 900.0, float("nan")], [1.0, 1.0, 1.0])

    assert found["message"].startswith("`2`: ")
    assert "worst at [2]" in draw_figures(found)[0].panels[0].picture


def test_a_picture_with_a_wrong_nan_does_not_claim_that_an_element_matches() -> None:
    figure = draw(np.array([[np.nan, 1.0], [2.0, 3.0]]), np.array([[0.0, 1.0], [2.0, 3.0]]))

    assert figure.caption == ""


@pytest.mark.parametrize(
    ("shape", "kind"), [((), "number-line"), ((1,), "number-line"), ((6,), "line-plot"), ((2, 3), "heat-map")]
)
def test_the_picture_fits_the_number_of_axes(shape: tuple[int, ...], kind: str) -> None:
    expected = np.ones(shape, np.float32)

    assert draw(expected + 1, expected).kind == kind


def test_a_number_line_has_both_numbers_and_the_tolerance_to_scale() -> None:
    (picture,) = parse(draw(np.float64(3.0), np.float64(3.0 + 2e-7)))

    assert [one.text for one in picture.iter("text")] == ["expected 3.0000002", "yours 3"]
    (band,) = of_class(picture, "band")
    marks = [
        float(one.get("x1") or 0) for one in picture.iter("line") if one.get("class") in ("expected", "yours inside")
    ]
    allowed = float(band.get("width") or 0) / 2
    # The difference is 2e-7, and the default tolerance 1e-7 + 1e-7 · 3.
    assert abs(marks[0] - marks[1]) / allowed == pytest.approx(0.5, rel=0.02)


def test_two_numbers_that_look_alike_are_written_apart() -> None:
    (picture,) = parse(draw(np.float32(7.00002), np.float32(7)))

    assert [one.text for one in picture.iter("text")] == ["expected 7", "yours 7.00002"]


def test_two_numbers_are_bars_and_not_a_line() -> None:
    (picture,) = parse(draw(np.array([3.0, -1.0]), np.array([2.0, -1.0])))

    assert len(of_class(picture, "expected")) == len(of_class(picture, "yours")) == 2
    assert {one.tag for one in of_class(picture, "yours")} == {"rect"}
    assert "Bars of 2 numbers" in (picture.get("aria-label") or "")
    assert "[0]: yours 3, expected 2" in titles(picture)
    heights = [float(one.get("height") or 0) for one in of_class(picture, "expected")]
    assert heights[0] == pytest.approx(2 * heights[1], rel=0.02)


def test_bars_leave_out_what_has_no_height() -> None:
    (picture,) = parse(draw(np.array([np.nan, 1.0]), np.array([2.0, 1.0])))

    assert len([one for one in of_class(picture, "yours") if one.tag == "rect"]) == 1


def test_a_line_plot_marks_what_is_outside_and_the_worst_of_it() -> None:
    (picture,) = parse(draw(with_one_off(RIGHT, 4), RIGHT))

    assert len(of_class(picture, "outside")) == 1
    (worst,) = of_class(picture, "worst")
    (bar,) = of_class(picture, "outside")
    assert worst.get("x1") == bar.get("x1")
    assert "[4]: yours 1.1, expected 0.6" in titles(picture)
    assert len(of_class(picture, "band")) == 1


def test_heat_maps_show_both_and_the_difference_with_the_worst_in_a_frame() -> None:
    expected = RIGHT.reshape(2, 3)
    figure = draw(with_one_off(expected, (1, 2), 2.0), expected)

    assert [panel.name for panel in figure.panels] == ["Expected", "Yours", "Difference"]
    difference = parse(figure)[2]
    assert len(of_class(difference, "right")) == 5
    assert len(of_class(difference, "off-4")) == 1
    (frame,) = of_class(difference, "frame")
    (cell,) = of_class(difference, "off-4")
    assert (frame.get("x"), frame.get("y")) == (cell.get("x"), cell.get("y"))


def test_numbers_in_a_list_are_one_curve_and_one_row() -> None:
    expected = {"losses": [2.0, 1.0, 0.5, 0.25], "steps": 4}
    both = report({**expected, "losses": [2.0, 1.0, 0.9, 0.3]}, expected)

    (figure,) = draw_figures(both)
    (picture,) = parse(figure)

    assert (figure.kind, figure.path) == ("line-plot", "losses")
    assert "worst at [2]: yours 0.9, expected 0.5" in (picture.get("aria-label") or "")
    assert len(of_class(picture, "outside")) == 2
    rows = [(share.path, share.is_right, share.outside, share.size) for share in list_shares(both)]
    assert rows == [("losses", False, 2, 4), ("steps", True, 0, 1)]


def test_a_list_that_holds_more_than_numbers_is_no_curve() -> None:
    expected = [1.0, np.zeros(3), 2.0]

    assert [figure.kind for figure in draw_figures(report([1.5, np.zeros(3), 2.0], expected))] == ["number-line"]


def test_a_difference_of_dtypes_alone_has_no_picture() -> None:
    assert draw_figures(report(7, np.float32(7))) == []


def test_an_array_of_more_axes_shows_the_slice_with_the_worst_element() -> None:
    expected = np.zeros((3, 2, 4, 5), np.float32)
    figure = draw(with_one_off(expected, (2, 0, 3, 1)), expected)

    assert "[2, 0, 3, 1]: yours 0.5, expected 0" in titles(parse(figure)[2])
    assert "The picture shows [2, 0, 0:4, 0:5] of an array of shape (3, 2, 4, 5)" in figure.caption


def test_a_large_array_shows_the_part_around_the_worst_element() -> None:
    expected = np.zeros((200, 300), np.float32)
    figure = draw(with_one_off(expected, (150, 299)), expected)

    assert "[150, 299]: yours 0.5, expected 0" in titles(parse(figure)[1])
    assert "[144:156, 288:300]" in figure.caption
    long = draw(with_one_off(np.zeros(1000, np.float32), 7), np.zeros(1000, np.float32))
    assert "The picture shows [0:120]" in long.caption


def test_shapes_that_differ_stand_side_by_side() -> None:
    figure = draw(np.ones((4, 3), np.float32), np.ones((4,), np.float32))

    assert figure.kind == "shape"
    assert [panel.name for panel in figure.panels] == ["Yours: float32 (4, 3)", "Expected: float32 (4,)"]
    assert [len(of_class(picture, "block")) for picture in parse(figure)] == [12, 4]


def test_dtypes_that_differ_are_named_beside_the_shapes() -> None:
    figure = draw(np.ones(2, np.int32), np.ones(2, np.float32))

    assert [panel.name for panel in figure.panels] == ["Yours: int32 (2,)", "Expected: float32 (2,)"]


def test_right_answers_show_how_much_of_the_tolerance_they_use() -> None:
    expected = np.float64(1.0)
    rules = Rules()

    (figure,) = draw_figures(report(np.float64(1.0 + 0.74e-7), expected, rules=rules))

    assert figure.caption == "Your value uses 37 % of the tolerance."


def test_a_tree_has_a_row_for_each_leaf() -> None:
    shares = list_shares(report({"a": 1.0, "b": RIGHT + 1}, {"a": 1.0, "b": RIGHT}))

    assert [(share.path, share.is_right) for share in shares] == [("b", False), ("a", True)]
    assert [share.percent for share in shares] == [100.0, 0.0]


def test_a_wrong_nan_does_not_claim_that_the_leaf_is_within_the_tolerance() -> None:
    wrong = np.array([math.nan, 1.0 + 1e-9])
    (nan, _right) = list_shares(report({"a": wrong, "b": 1.0}, {"a": np.ones(2), "b": 1.0}))

    assert (nan.percent, nan.words, nan.short) == (100.0, "nan or inf differs", "–")
    assert most_used(report(wrong, np.ones(2))) == ""


def test_a_hidden_case_has_no_picture() -> None:
    hidden = report(RIGHT + 1, RIGHT, visibility="hidden")

    assert (draw_figures(hidden), list_shares(hidden)) == ([], [])


def test_names_of_leaves_are_text_wherever_they_stand() -> None:
    name = "<img src=x onerror=alert(1)>"
    figure = draw_figures(report({name: RIGHT + 1, "b": 1.0}, {name: RIGHT, "b": 1.0}))[0]

    assert figure.path == name
    assert all("<img" not in panel.picture for panel in figure.panels)


FLOATS = st.floats(width=64, allow_nan=True, allow_infinity=True)


@settings(deadline=None, max_examples=examples(100))
@given(data=st.data(), shape=array_shapes(min_dims=0, max_dims=3, max_side=5))
def test_any_numbers_make_a_picture_within_its_frame(data: st.DataObject, shape: tuple[int, ...]) -> None:
    answer, expected = (data.draw(arrays(np.float64, shape, elements=FLOATS)) for _ in range(2))

    for figure in draw_figures(report(answer, expected)):
        for picture in parse(figure):
            width = float((picture.get("viewBox") or "").split()[2])
            for one in picture.iter():
                for place in ("x", "x1", "x2", "cx"):
                    assert -1 <= float(one.get(place) or 0) <= width + 1
            assert not re.search(r"\b(nan|inf)\b", ElementTree.tostring(picture, encoding="unicode").split(">", 1)[0])


def test_the_page_draws_what_is_wrong_in_a_sample_case(ada: TestClient, database: Database) -> None:
    path = submit(ada)
    wrong = answered(0, RIGHT + 1, RIGHT), answered(1, RIGHT + 1, RIGHT), answered(2, RIGHT, RIGHT)
    judge(database, *wrong)

    page = ada.get(path).text

    assert page.count('<figure class="picture line-plot">') == 1
    assert "times the tolerance" in page
