"""A right package passes, and every fault of a package is a finding with a remedy."""

import numpy as np
import pytest

from app.catalog.package import Package, package_from_files
from app.catalog.verification_report import CHECK_NAMES, Report
from app.verification.distance import is_repeated
from app.verification.reference import check_reference
from app.verification.trial import VerificationPools
from sandbox.guest.codec import encode
from tests.verification.bench import FULL, NO_MUTANTS, changed, package_of, said, trial_of, verified

REFERENCE = "return np.cumsum(x, dtype=np.float32) / np.arange(1, len(x) + 1, dtype=np.float32)"
GENERATED = "inputs: {x: {draw: normal, shape: [40], loc: 1.0}}"
LOOSE = ("rtol: 1.0e-5, atol: 1.0e-6", "rtol: 0.0, atol: 1.0e-3")


@pytest.fixture(scope="module")
def sound(pools: VerificationPools) -> Report:
    return verified(package_of("running_mean"), pools, FULL)


def test_a_right_package_passes(sound: Report) -> None:
    assert sound.passed, said(sound)
    assert [line.check for line in sound.checks] == list(CHECK_NAMES)


def test_a_report_comes_back_from_its_json(sound: Report) -> None:
    assert Report.model_validate_json(sound.model_dump_json()) == sound


def test_the_reference_runs_in_another_order_too(sound: Report) -> None:
    assert sound.reference is not None

    first, second = sound.reference.runs

    assert sorted(first.order) == sorted(second.order)
    assert first.order != second.order


def test_each_case_says_what_it_catches(sound: Report) -> None:
    assert sound.kill_matrix is not None

    caught = {case.name: case.submissions for case in sound.kill_matrix.cases}

    assert caught == {"worked_example": 2, "one_number": 0, "many_numbers": 2, "both_signs": 2}


FAULTY = {
    "the reference raises": (
        [(REFERENCE, "raise RuntimeError('not today')")],
        "RuntimeError: not today",
        "correct line 6 of the reference, which raises RuntimeError, or change the inputs of case worked_example",
    ),
    "the reference returns NaN": (
        [(REFERENCE, "return x * np.nan")],
        "has no finite number",
        "draw inputs that have a finite answer; a NaN is allowed beside numbers",
    ),
    "the generator draws from elsewhere": (
        [
            (GENERATED, "generate: make"),
            (
                "reference: |",
                "generators: |\n  import numpy as np\n\n  def make(seed):\n"
                "      return {'x': np.random.default_rng().normal(size=9).astype(np.float32)}\nreference: |",
            ),
        ],
        "two calls with the same seed make different inputs (both_signs)",
        "draw all random numbers from np.random.default_rng(seed)",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_a_fault_of_the_packages_code_is_a_finding_with_its_remedy(name: str, pools: VerificationPools) -> None:
    changes, reason, remedy = FAULTY[name]
    package: Package = changed("running_mean", *changes)

    report = verified(package, pools)

    assert not report.passed
    told = [(finding.message, finding.remedy) for finding in report.findings if finding.check == "reference"]
    assert any(reason in message and remedy == way_out for message, way_out in told), told
    assert all(finding.remedy for finding in report.findings if finding.severity == "error")


ONE_CAUSE = {
    "the reference returns nothing": ([(REFERENCE, "pass")], "the reference returns nothing"),
    "the reference returns nothing in a case": (
        [(REFERENCE, f"return None if len(x) == 1 else {REFERENCE.removeprefix('return ')}")],
        "in case one_number (structure differs)",
    ),
    "the reference draws": ([(REFERENCE, f"{REFERENCE} + np.random.default_rng().normal()")], "in another process"),
    "the reference is wrong": ([(REFERENCE, f"{REFERENCE} + 1")], "no accepted solution agrees with the reference"),
    "the reference returns another shape": ([(REFERENCE, f"{REFERENCE[:6]} ({REFERENCE[7:]})[None]")], "shape differs"),
    "the reference returns another dtype": (
        [(REFERENCE, "return np.cumsum(x, dtype=np.float64) / np.arange(1, len(x) + 1)")],
        "(worked_example and 3 more cases)",
    ),
}


@pytest.mark.parametrize("name", ONE_CAUSE)
def test_one_cause_is_one_error(name: str, pools: VerificationPools) -> None:
    changes, words = ONE_CAUSE[name]

    report = verified(changed("running_mean", *changes), pools, NO_MUTANTS)

    (told,) = said(report)
    assert words in told[1]


def test_a_reference_that_hangs_is_stopped_at_its_limit(pools: VerificationPools) -> None:
    hanging = changed("running_mean", (REFERENCE, "while True: pass"), ("wall_seconds: 2", "wall_seconds: 0.7"))

    report = verified(hanging, pools)

    ((check, told),) = said(report)
    assert (check, "the call took longer than 0.7 s" in told) == ("reference", True)
    shown = [(line.title, line.summary) for line in report.shown_checks() if line.mark == "skipped"]
    assert shown == [("6 other checks", "not run: first correct the reference")]


def test_fewer_known_submissions_than_needed_are_an_error(pools: VerificationPools) -> None:
    text = package_of("running_mean").files["problem.yaml"].decode()
    one, wrong, last = (text.index(key) for key in ("    with_a_total: |", "  wrong_answer:", "    off_by_one: |"))
    few = text[:one] + text[wrong:last]

    report = verified(package_from_files("running_mean", {"problem.yaml": few.encode()}), pools, NO_MUTANTS)

    assert [told for told in said(report) if told[0] == "known"] == [
        ("known", "there is 1 accepted solution; 2 are needed"),
        ("known", "there is 1 wrong solution; 2 are needed"),
    ]


@pytest.mark.parametrize(
    ("added", "is_told"),
    [
        ("1e-4 * np.random.default_rng().random()", True),
        ("1e-7 * np.random.default_rng().random(len(x))", True),
        ("1e-7 * np.random.default_rng(__import__('time').time_ns()).random(len(x))", True),
        ("1e-4", False),
    ],
)
def test_noise_below_the_tolerance_is_pointed_out(added: str, is_told: bool, pools: VerificationPools) -> None:
    package = changed("running_mean", (REFERENCE, f"return x + np.float32({added})"), LOOSE)

    findings = check_reference(trial_of(package, pools, FULL)).findings

    told = [finding.severity for finding in findings if finding.message.startswith("the reference is nondeterministic")]
    assert told == ["warning"] * is_told, findings


def test_rounding_by_threads_is_no_noise() -> None:
    answer = np.array([1.0, 3.0], np.float32)

    assert is_repeated(encode(np.nextafter(answer, np.float32(0))), encode(answer))
    assert not is_repeated(encode(answer * np.float32(1 + 1e-5)), encode(answer))
    assert not is_repeated(encode(np.array([1, 2])), encode(np.array([1, 3])))
