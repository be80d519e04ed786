import json
from typing import Any

import numpy as np
import pytest

from app.judging.comparison import Rules, compare
from app.judging.report import MAX_LEAVES, AnswerFault, Material, build_report, coarse_bytes, coarse_seconds, preview

SECRET = "hidden input 3.25"
MATERIAL = Material(text=SECRET, inputs=preview(SECRET), answer=preview(SECRET), expected=preview(SECRET))
RAISED = AnswerFault(category="exception", message=SECRET, exception="ValueError", traceback=SECRET)
WRONG = compare({"a": np.array([1.0, np.nan])}, {"a": np.array([1.0, 2.0])}, Rules())


@pytest.mark.parametrize(
    ("finding", "category"),
    [
        (WRONG, "nan or inf differs"),
        (compare(SECRET, "x", Rules()), "values outside tolerance"),
        (RAISED, "ValueError"),
        (AnswerFault(category="time limit exceeded", message=SECRET), "time limit exceeded"),
        (AnswerFault(category="exception", message="", exception="JaxRuntimeError"), "JaxRuntimeError"),
        (AnswerFault(category="crashed", message="", exception="SIGSEGV"), "SIGSEGV"),
        (AnswerFault(category="exception", message="", exception="TheInputWas3_25"), "Exception"),
    ],
)
def test_a_hidden_case_shows_its_category_and_nothing_else(finding: Any, category: str) -> None:
    assert build_report("hidden", finding, MATERIAL) == {"category": category}


def test_a_hidden_case_that_is_accepted_shows_nothing() -> None:
    assert build_report("hidden", compare(1.0, 1.0, Rules()), MATERIAL) == {"category": None}


def test_a_sample_case_shows_everything() -> None:
    report = build_report("sample", RAISED, MATERIAL)

    assert report["exception"] == {"type": "ValueError", "traceback": SECRET}
    assert (report["message"], report["text"]) == (SECRET, SECRET)
    assert report["inputs"] == report["answer"] == report["expected"] == MATERIAL.inputs


def test_a_comparison_is_reported_by_leaf_in_json_that_postgresql_takes() -> None:
    report = build_report("sample", WRONG, Material())

    json.dumps(report, allow_nan=False)
    (leaf,) = report["leaves"]
    assert (leaf["path"], leaf["shape"], leaf["worst_index"], leaf["worst_answer"]) == ("a", [2], [1], "nan")


def test_the_worst_leaf_stands_first_and_the_message_is_of_it() -> None:
    expected = {"near": 1.0, "right": 1.0, "far": np.ones(40), "shape": 1.0}
    answer = {"near": 1.01, "right": 1.0, "far": np.full(40, 9.0), "shape": 1.0}

    report = build_report("sample", compare(answer, expected, Rules()), Material())
    assert [leaf["path"] for leaf in report["leaves"]] == ["far", "near", "right", "shape"]
    assert report["message"].startswith("`far`: ")

    report = build_report("sample", compare(answer | {"shape": np.ones(2)}, expected, Rules()), Material())
    assert report["leaves"][0]["path"] == "shape"
    assert report["message"] == "`shape` has shape (2,); expected ()"


def test_wrong_leaves_come_first_and_the_rest_is_counted() -> None:
    expected = {f"leaf_{i}": i for i in range(MAX_LEAVES + 5)}
    answer = expected | {f"leaf_{MAX_LEAVES + 4}": -1}

    report = build_report("sample", compare(answer, expected, Rules()), Material())

    assert report["leaves"][0]["path"] == f"leaf_{MAX_LEAVES + 4}"
    assert (len(report["leaves"]), report["leaves_left_out"]) == (MAX_LEAVES, 5)


def test_text_of_the_student_is_printable_and_cut() -> None:
    report = build_report(
        "sample", AnswerFault(category="exception", message="\x1b[2J" + "x" * 10_000), Material(text="\x00")
    )

    assert report["message"].startswith("\\x1b[2J")
    assert len(report["message"]) < 2_100
    assert report["text"] == "\\x00"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.0, 0.1), (0.149, 0.1), (0.237, 0.2), (0.96, 1.0), (1.26, 1.3), (12.6, 13.0), (123.0, 120.0)],
)
def test_the_time_of_a_hidden_case_is_coarse(seconds: float, shown: float) -> None:
    assert coarse_seconds(seconds) == shown


def test_the_memory_of_a_hidden_case_is_coarse() -> None:
    mebibyte = 2**20

    assert [coarse_bytes(size * mebibyte) // mebibyte for size in (0, 1, 16, 17, 100)] == [0, 16, 16, 32, 112]
