"""Many versions of a solution in one process, where a call that hangs ends alone."""

import pytest

from app.engine import batch_in_box
from app.engine.batch import Call, Version
from app.verification.trial import Trial, VerificationPools
from sandbox.guest.codec import decode
from sandbox.interface import CaseOutcome, Ending
from tests.verification.bench import make_case, package_of, trial_of

COUNTS = "import sys\n\n\ndef running_mean(x):\n    sys.count = getattr(sys, 'count', 0) + 1\n    return sys.count\n"
HANGS = "def running_mean(x):\n    while True:\n        pass\n"
SLEEPS = "import time\n\n\ndef running_mean(x):\n    time.sleep(99)\n"


@pytest.fixture
def trial(pools: VerificationPools) -> Trial:
    return trial_of(package_of("running_mean"), pools)


def calls_of(*sources: str) -> list[Call]:
    """Call the first source as the original, and all of them with two cases."""
    cases = [make_case("one", None, {"x": 1.0}), make_case("two", None, {"x": 1.0})]
    return [Call(Version(source), case, is_original=source is sources[0]) for source in sources for case in cases]


def told(outcomes: list[CaseOutcome | None]) -> list[object]:
    return [o and (decode(o.answer) if o.ending is Ending.ANSWERED and o.answer else o.ending) for o in outcomes]


def test_a_call_that_hangs_is_cut_off_and_its_process_goes_on(trial: Trial) -> None:
    outcomes = trial.batch.call_all(calls_of(COUNTS, HANGS, f"{COUNTS}\n"), wall_seconds=60)

    assert told(outcomes) == [1, 2, Ending.TIMED_OUT, None, 3, 4]


def test_a_call_that_no_signal_reaches_ends_its_process_once(trial: Trial) -> None:
    outcomes = trial.batch.call_all(calls_of(COUNTS, SLEEPS, f"{COUNTS}\n"), wall_seconds=0.5)

    assert told(outcomes) == [1, 2, Ending.TIMED_OUT, None, 1, 2]


def test_the_limit_is_ten_times_the_original_with_a_floor() -> None:
    call = {"case": "slow", "is_original": False, "cpu_seconds": None, "original_seconds": 2.0}

    assert batch_in_box.limit_of({}, call) == 20.0
    assert batch_in_box.limit_of({}, call | {"original_seconds": 0.001}) == batch_in_box.LEAST_SECONDS
    assert batch_in_box.limit_of({}, call | {"original_seconds": None}) == 0.0
    assert batch_in_box.limit_of({}, call | {"cpu_seconds": 4.0}) == 4.0
    assert batch_in_box.limit_of({}, call | {"is_original": True}) == 0.0


def test_calls_of_a_slow_version_share_its_limit(trial: Trial) -> None:
    body = "    begun = time.process_time()\n    while time.process_time() < begun + 0.2:\n        pass\n    return x\n"
    spins = f"import time\n\n\ndef running_mean(x):\n{body}"
    cases = [make_case(str(number), None, {"x": 1.0}) for number in range(9)]
    calls = [Call(Version(spins), case, cpu_seconds=1.0) for case in cases]

    outcomes = [outcome.ending if outcome else None for outcome in trial.batch.call_all(calls, wall_seconds=60)]

    cut = outcomes.index(Ending.TIMED_OUT)
    assert 0 < cut < len(cases) - 1
    assert outcomes == [Ending.ANSWERED] * cut + [Ending.TIMED_OUT] + [None] * (len(cases) - cut - 1)
