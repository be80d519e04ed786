"""Weak packages from practice: verification refuses each, and the report says why."""

import pytest

from app.catalog.verification_report import CheckName
from app.verification.trial import VerificationPools
from tests.verification.bench import NO_MUTANTS, PACKAGES, package_of, said, verified

ACCEPTED = "gets accepted; expected wrong_answer"
LETS_PASS = "the tolerance accepts a wrong answer"

REASONS: dict[str, list[tuple[CheckName, str]]] = {
    "other_data": [
        ("known", ACCEPTED),
        ("trivial", "the input weight passes in every case"),
        ("calibration", LETS_PASS),
    ],
    "small_learning_rate": [("known", ACCEPTED), ("calibration", LETS_PASS)],
    "half_precision_sum": [("known", ACCEPTED), ("calibration", LETS_PASS)],
    "any_finite": [("known", ACCEPTED), ("trivial", "an answer of zeros passes in every case")],
}


# These are right, and other tests change them.
SOUND = {"guarded_division", "logistic_map", "running_mean", "scaled_mean", "sign_of_mean"}


def test_every_package_here_is_tried() -> None:
    assert {path.name for path in PACKAGES.iterdir()} - SOUND == REASONS.keys()


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=[pytest.mark.whole] * (slug != next(iter(REASONS)))) for slug in REASONS]
)
def test_a_check_that_proves_nothing_is_refused(slug: str, pools: VerificationPools) -> None:
    report = verified(package_of(slug), pools, NO_MUTANTS)

    assert not report.passed
    told = said(report)
    for check, reason in REASONS[slug]:
        assert any(where == check and reason in message for where, message in told), (check, reason, told)
