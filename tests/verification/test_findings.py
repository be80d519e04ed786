"""Findings that need a run of the package."""

import pytest

from app.catalog.verification_report import Report
from app.verification.trial import Effort, VerificationPools
from tests.verification.bench import NO_MUTANTS, PACKAGES, changed, package_of, said, verified

TOLERANCE = "tolerance: {rtol: 1.0e-5, atol: 1.0e-6}"
LOOSE = "tolerance: {rtol: 1.0e-2, atol: 0.0, leaves: {gradients: {rtol: 0.0, atol: 1.0}}}"


@pytest.fixture(scope="module")
def loose(pools: VerificationPools) -> Report:
    return verified(changed("running_mean", (TOLERANCE, LOOSE)), pools, NO_MUTANTS)


def test_a_tolerance_of_no_leaf_is_pointed_out(loose: Report) -> None:
    messages = [message for check, message in said(loose, "warning") if check == "lint"]

    assert messages == ["the tolerance of gradients matches no leaf of any case"]


def test_a_wrong_solution_in_the_folder_of_right_ones_is_named(pools: VerificationPools) -> None:
    report = verified(changed("running_mean", ("x[: i + 1].mean()", "x[: i + 1].sum()")), pools, NO_MUTANTS)

    (finding,) = (finding for finding in report.findings if finding.check == "known")

    assert (finding.file, finding.line) == ("problem.yaml", line_of("import numpy as np", below="place_by_place:"))
    assert finding.message == (
        "submissions.accepted.place_by_place: gets wrong_answer (case worked_example: values outside tolerance); "
        "expected accepted"
    )


def line_of(text: str, below: str) -> int:
    """Return the line in the package's problem.yaml."""
    whole = (PACKAGES / "running_mean" / "problem.yaml").read_text()
    return whole.count("\n", 0, whole.index(text, whole.index(below))) + 1


def test_a_mutant_of_a_text_in_the_manifest_has_its_line_there(pools: VerificationPools) -> None:
    report = verified(package_of("running_mean"), pools, Effort(is_quick=True, mutants=1))

    assert report.mutation is not None
    (mutant,) = report.mutation.mutants
    assert mutant.line == line_of("return np.cumsum", below="reference:")
