"""The tolerance between a known noise and a known signal."""

from math import inf

import numpy as np
import pytest

from app.catalog.verification_section import CalibratedLeaf, Kind, MeasuredError, share_text
from app.judging.comparison import Rules, compare
from app.judging.options import Margin
from app.verification.calibration import ToleranceGroup, calibrate, findings_about
from app.verification.distance import Distance, share_of
from app.verification.trial import VerificationPools
from tests.verification.bench import changed, package_of, said, verified

GROUP = ToleranceGroup("*", "closeness", 1e-4, 1e-6)


def measured(value: float, kind: Kind = "accepted") -> MeasuredError:
    return MeasuredError(kind=kind, label="name", case="case", value=value)


def leaf_of(noise: float, signal: float, group: ToleranceGroup = GROUP) -> CalibratedLeaf:
    return calibrate(
        group, [measured(noise), measured(noise / 2)], [measured(signal, "wrong"), measured(9 * signal, "wrong")]
    )


@pytest.mark.parametrize(
    ("noise", "signal", "state"),
    [
        (0.01, 100.0, "inside"),
        (0.0, 100.0, "inside"),
        (0.5, 2.0, "narrow"),
        (2.0, 100.0, "too_tight"),
        (0.001, 0.5, "too_loose"),
        (0.001, 1.0, "too_loose"),
        (0.5, 0.4, "no_gap"),
        (3.0, 2.0, "no_gap"),
    ],
)
def test_the_tolerance_is_where_1_is(noise: float, signal: float, state: str) -> None:
    assert leaf_of(noise, signal).state == state


def test_a_tolerance_well_inside_needs_no_other() -> None:
    assert leaf_of(0.01, 100.0).suggestion is None


@pytest.mark.parametrize(
    ("noise", "signal", "suggestion"),
    [
        (10.0, 1000.0, Margin(rtol=1e-2, atol=1e-4)),
        (1e-6, 1e-2, Margin(rtol=1e-8, atol=1e-10)),
        (1e-4, 2.5, Margin(rtol=2e-6, atol=2e-8)),
        (0.9, 1e4, Margin(rtol=1e-2, atol=1e-4)),
    ],
)
def test_the_middle_of_the_gap_is_suggested_as_a_round_number(noise: float, signal: float, suggestion: Margin) -> None:
    assert leaf_of(noise, signal).suggestion == suggestion


@pytest.mark.parametrize(("noise", "signal"), [(0.5, 2.0), (1.05, 1.1), (0.9, 0.95)])
def test_the_tolerance_that_is_set_is_no_advice(noise: float, signal: float) -> None:
    leaf = leaf_of(noise, signal)

    assert leaf.suggestion is None
    (finding,) = findings_about(leaf)
    assert finding.remedy.endswith("make accepted/name more precise")


def test_a_part_of_the_tolerance_that_is_0_stays_0() -> None:
    suggestion = leaf_of(10.0, 1000.0, ToleranceGroup("*", "closeness", 0.0, 1e-6)).suggestion

    assert suggestion == Margin(rtol=0.0, atol=1e-4)


def test_an_exact_leaf_is_not_calibrated() -> None:
    group = ToleranceGroup("*", "closeness", 0.0, 0.0)

    assert calibrate(group, [measured(0.0)], []).state == "exact"
    assert calibrate(group, [measured(float("inf"))], []).state == "too_tight"


def test_a_checker_without_tolerance_gets_no_suggestion() -> None:
    leaf = leaf_of(10.0, 1000.0, ToleranceGroup("*", "ulp", None, None))

    assert (leaf.state, leaf.suggestion) == ("too_tight", None)


def test_wrong_answers_that_are_furthest_off_elsewhere_leave_a_leaf_without_a_bound() -> None:
    assert calibrate(GROUP, [measured(0.01)], []).state == "no_signal"


TIGHT = ("tolerance: {rtol: 1.0e-5, atol: 1.0e-6}", "tolerance: {rtol: 1.0e-9, atol: 0.0}")


def test_a_package_in_the_gap_says_how_wide_it_is(pools: VerificationPools) -> None:
    report = verified(package_of("running_mean"), pools)

    assert report.calibration is not None
    (leaf,) = report.calibration.leaves
    assert leaf.state == "inside"
    assert leaf.largest_noise is not None
    assert leaf.smallest_signal is not None
    assert leaf.largest_noise < 1 < leaf.smallest_signal
    assert {each.kind for each in leaf.noise} == {"reference", "accepted"}
    assert "wrong" in {each.kind for each in leaf.signal}


def test_a_tolerance_below_the_noise_of_all_solutions_is_refused(pools: VerificationPools) -> None:
    report = verified(changed("running_mean", TIGHT), pools)

    (finding,) = report.findings
    assert "no accepted solution agrees with the reference" in finding.message
    assert "widen the tolerance" in finding.remedy


def test_nan_and_inf_out_of_place_are_infinitely_far() -> None:
    expected, rules = np.array([1.0, 0.0]), Rules(tolerance=None)

    far = Distance(how="x", leaves=compare(np.array([1.0, np.inf]), expected, rules).leaves)
    near = Distance(how="", leaves=compare(np.array([1.0, 1e-9]), expected, rules).leaves)

    assert [share_of(leaf) for leaf in far.leaves] == [inf]
    assert far.used is None
    assert near.used is not None


@pytest.mark.parametrize("slug", ["guarded_division", "sign_of_mean"])
def test_sound_packages_pass_whose_wrong_answers_have_no_number(slug: str, pools: VerificationPools) -> None:
    report = verified(package_of(slug), pools)

    assert report.passed, said(report)
    assert report.calibration is not None
    assert report.calibration.without_number > 0


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.036, "3.6 %"), (12.0, "12 ×"), (49_212.0, "49,200 ×"), (2.5e30, "2.5e+30 ×"), (float("inf"), "∞ ×")],
)
def test_a_share_of_the_tolerance_is_written_out(share: float, text: str) -> None:
    assert share_text(share) == text
