"""Verification tells whether the limits in `efficiency` refuse slow solutions and leave right ones room."""

from pathlib import Path

import pytest

from app.catalog.package import load_package, package_from_files
from app.verification.trial import VerificationPools
from tests.verification.bench import NO_MUTANTS, said, verified

PACKAGE = load_package(Path(__file__).parents[1] / "kinds" / "efficiency")
TEXT = PACKAGE.files["problem.yaml"].decode()
SLOW = TEXT[TEXT.index("  requirement_not_met:") :]


def found(pools: VerificationPools, text: str) -> list[str]:
    """The messages about limits and known solutions."""
    report = verified(package_from_files("efficiency", {"problem.yaml": text.encode()}), pools, NO_MUTANTS)
    told = said(report, "error") + said(report, "warning")
    return [message for check, message in told if check in ("limits", "known")]


@pytest.mark.whole
def test_a_package_with_a_known_slow_solution_and_room_for_right_ones_has_no_finding(pools: VerificationPools) -> None:
    assert [message for message in found(pools, TEXT) if "loose" not in message] == []


@pytest.mark.whole
def test_without_a_known_slow_solution_nothing_shows_that_slow_ones_are_refused(pools: VerificationPools) -> None:
    messages = found(pools, TEXT.replace(SLOW, ""))

    assert any("no known solution is refused by `efficiency`" in message for message in messages)


@pytest.mark.whole
def test_sizes_that_are_too_small_to_measure_are_named(pools: VerificationPools) -> None:
    small = TEXT.replace("50000", "600").replace("10000", "500").replace(SLOW, "")

    messages = found(pools, small)

    assert any("at n = 600, which is too short to measure" in message for message in messages)
    assert any("the sizes 500 to 600 are too close to tell a growth" in message for message in messages)


@pytest.mark.whole
def test_equal_inputs_and_a_limit_that_lets_slow_solutions_pass_are_named(pools: VerificationPools) -> None:
    text = TEXT.replace("np.random.default_rng(seed)", "np.random.default_rng(7)")
    text = text.replace("max_time_ratio: 4, max_growth: 1.5", "max_time_ratio: 1000, max_growth: 9")

    messages = found(pools, text)

    assert any("cases n_10000_a and n_10000_b have the same inputs" in message for message in messages)
    assert any("compares_all: gets accepted; expected requirement_not_met" in message for message in messages)
