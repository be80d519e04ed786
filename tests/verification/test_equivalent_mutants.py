"""Mutants that compute the same are no findings: casts that change nothing, also where rounding is amplified."""

from collections.abc import Sequence

import numpy as np
import pytest

from app.verification.distance import is_rounding, is_same
from app.verification.mutation.mutants import Mutant, list_mutants
from app.verification.mutation.runner import Candidate, MutantRunner
from app.verification.mutation.strength import judge_survivors
from app.verification.noise import Noise
from app.verification.trial import VerificationPools
from sandbox.guest.codec import encode
from tests.verification.bench import material_of, package_of, trial_of


@pytest.fixture(scope="module")
def runner(pools: VerificationPools) -> MutantRunner:
    trial = trial_of(package_of("logistic_map"), pools)
    return MutantRunner(trial, material_of(trial))


def outcomes_of(runner: MutantRunner, changes: Sequence[Mutant]) -> list[str]:
    candidates = [Candidate(change) for change in changes]
    runner.run(candidates)
    judged = judge_survivors(runner, [each for each in candidates if not each.killed_by], Noise())
    return [judged[each].outcome if each in judged else "killed" for each in candidates]


def mutants(runner: MutantRunner, *lines: str) -> list[Mutant]:
    """Return the mutants that change a line of the reference into one of these."""
    package = runner.trial.package
    changes = list_mutants(package.reference, package.manifest.entry_point, "reference.py")
    found = [next(change for change in changes if f"\n+    {line}\n" in change.diff) for line in lines]
    assert len(found) == len(lines)
    return found


def test_a_cast_that_changes_nothing_is_equivalent(runner: MutantRunner) -> None:
    changes = mutants(runner, "x = x", 'return {"x": x, "mean": x.mean()}')

    assert outcomes_of(runner, changes) == ["equivalent", "equivalent"]


def test_a_cast_that_changes_the_last_place_is_rounding_even_where_orbits_are_chaotic(runner: MutantRunner) -> None:
    assert outcomes_of(
        runner, mutants(runner, "rate = np.float32(42.8 - 40 * (rates[0] / 3 + float(rates[1]) * 2 / 3))")
    ) == ["rounding"]


def test_the_dtype_counts_if_the_policy_is_exact() -> None:
    narrow, wide = encode(np.array([0.1, 0.2], np.float32)), encode(np.array([0.1, 0.2], np.float32).astype(np.float64))

    assert is_same(wide, narrow, "kind")
    assert not is_same(wide, narrow, "exact")
    assert is_rounding(encode(np.array([0.1, 0.2])), narrow, dtype_policy="kind")
    assert not is_same(encode(np.array([0.1, 0.25])), narrow, "kind")
    assert not is_same(encode({"a": 1.0}), encode({"b": 1.0}), "kind")
