import json

import pytest

from app.catalog.query import ProblemDetail
from app.catalog.signature import described_signature
from app.web.render import limit_words, tolerance_words
from tests.catalog.packages import PROBLEM, make_package

TOLERANCE = 'tolerance: {rtol: 1e-5, atol: 0.0, leaves: {"history": {rtol: 1e-3, atol: 1e-6}}}\n'


def view_of(tolerance: str) -> ProblemDetail:
    package = make_package(problem=PROBLEM.replace(TOLERANCE, tolerance))
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
    signature = described_signature(manifest, {})
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
