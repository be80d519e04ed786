"""The verification of a package with requirements and sealed cases. `make verify` verifies all problems."""

import pytest

from app.catalog.package import Package, load_package, package_from_files
from app.judging.verdicts import Verdict
from app.settings import ROOT
from app.verification.trial import VerificationPools
from tests.verification.bench import NO_MUTANTS, said, verified

KEPT = (
    "accepted/gradient_by_hand",
    "accepted/scan_with_jit",
    "wrong_answer/mean_for_sum",
    "requirement_not_met/python_loop_unrolled",
)


def package_with(kept: tuple[str, ...]) -> Package:
    """Return the package with only some of its known submissions."""
    whole = load_package(ROOT / "problems" / "microbatched_grads").files
    submissions = {f"submissions/{name}.py" for name in kept}
    files = {path: text for path, text in whole.items() if not path.startswith("submissions/") or path in submissions}
    return package_from_files("microbatched_grads", files)


@pytest.mark.whole
def test_requirements_and_sealed_cases_are_verified(pools: VerificationPools) -> None:
    report = verified(package_with(KEPT), pools, NO_MUTANTS)

    assert report.passed, said(report)
    assert report.known is not None
    assert {result.verdict for result in report.known.submissions} == {
        Verdict.ACCEPTED,
        Verdict.WRONG_ANSWER,
        Verdict.REQUIREMENT_NOT_MET,
    }
    assert report.trivial is not None
    (zeros,) = (answer for answer in report.trivial.answers if answer.name == "zeros")
    assert len(zeros.tried_on) == 11, "three of the hundred that are drawn alike, and each other case"
    assert zeros.accepted_on == ("perfect_fit",)
