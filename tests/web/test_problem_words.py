import json
import re
from pathlib import Path

import pytest

from app.catalog.package import Package, load_package
from app.catalog.query import ProblemDetail, described_signature
from app.web.render import limit_words, render_text, tolerance_words
from tests.catalog.packages import PROBLEM, make_package

TOLERANCE = 'tolerance: {rtol: 1e-5, atol: 0.0, leaves: {"history": {rtol: 1e-3, atol: 1e-6}}}\n'


def view_of(tolerance: str) -> ProblemDetail:
    return view_package(make_package(problem=PROBLEM.replace(TOLERANCE, tolerance)))


def view_package(package: Package) -> ProblemDetail:
    facts = {
        "slug": "sums",
        "revision": 1,
        "digest": "0",
        "statement": "",
        "starter": "",
        "samples": (),
        "hidden_cases": 0,
    }
    counts = {"hint_count": 0, "question_count": 0}
    manifest = json.loads(package.manifest.model_dump_json())
    signature = described_signature(manifest)
    return ProblemDetail.model_validate(manifest | signature | facts | counts)


@pytest.mark.parametrize(
    ("tolerance", "words"),
    [
        (TOLERANCE, "within 1e-5·|expected| of"),
        (TOLERANCE, "within 1e-6 + 0.001·|expected| of"),
        ("tolerance: {rtol: 0, atol: 1e-9}\n", "within 1e-9 of"),
        ("tolerance: {rtol: 0, atol: 0}\n", "must equal"),
        ("", "within 1e-5 + 1.3e-6·|expected| of"),
    ],
)
def test_tolerances_are_told_in_words(tolerance: str, words: str) -> None:
    assert any(words in told for _, told in tolerance_words(view_of(tolerance)))


def test_limits_are_told_in_words() -> None:
    limits = view_of("").limits

    assert limit_words(limits) == "Limits for each case: 2 s and 256 MiB of memory."
    assert "1.5 GiB" in limit_words(limits.model_copy(update={"memory_mib": 1536}))
    assert "float32, not in TF32" in limit_words(limits.model_copy(update={"gpu": True}))


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("class_torch", ["BatchNorm(size, momentum)", "BatchNorm.forward(x)", "calls its methods in turn",
                         "and the state afterwards", "weights", "calls"]),
        ("class_plain", ["RunningMean.mean()", "and then count"]),
        ("functions", ["apply_rotary(x, angles)", "rotate_half(x)", "(..., D)", "Each case calls one of the"]),
        ("in_place", ["add_into(a, b, out)", "compares out after the call, and what the function returns"]),
        ("integrator", ["integrate(f, a, b)", "function", "call f at most most_calls times"]),
        ("generator", ["takes the first count items"]),
        ("text", ["compares what the function prints, word by word"]),
        ("file", ["reads the file that the function writes to path as npz"]),
        ("gradients_jax", ["its gradients with respect to w and b"]),
        ("random", ["compares the distribution", "samples must be"]),
        ("random_statistics", ["compares the mean and std over 400 calls with other seeds"]),
        ("any_rank", ["(..., D)", "Lists of numbers are accepted for arrays."]),
    ],
)  # fmt: skip
def test_the_page_says_what_students_write_and_what_is_compared(slug: str, words: list[str]) -> None:
    problem = view_package(load_package(Path(__file__).parents[1] / "kinds" / slug))

    page = render_text("fragments/task.html", {"problem": problem})

    text = " ".join(re.sub(r"<[^>]+>", "", page).split())
    assert [each for each in words if each not in text] == []
