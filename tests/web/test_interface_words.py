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
        (TOLERANCE, "0.001\N{NO-BREAK SPACE}% of it."),
        (TOLERANCE, "0.1\N{NO-BREAK SPACE}% of it, and by 0.000001 more."),
        ("tolerance: {rtol: 0, atol: 1e-9}\n", "by 1e-09."),
        ("tolerance: {rtol: 0, atol: 0}\n", "must be equal"),
        ("", "0.00013\N{NO-BREAK SPACE}% of it, and by 0.00001 more."),
    ],
)
def test_tolerances_are_told_in_words(tolerance: str, words: str) -> None:
    assert any(words in told for _, told in tolerance_words(view_of(tolerance)))


def test_limits_are_told_in_words() -> None:
    limits = view_of("").limits

    assert limit_words(limits) == "Each case may take 2 s and 256 MiB of memory."
    assert "1.5 GiB" in limit_words(limits.model_copy(update={"memory_mib": 1536}))
