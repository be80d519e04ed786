"""Mutants of a small reference in boxes. No case depends on its `clip`."""

import pytest

from app.catalog.verification_section import Mutant
from app.judging.verdicts import Verdict
from app.verification.mutation.mutants import list_mutants
from app.verification.mutation.runner import Candidate, MutantRunner
from app.verification.mutation.strength import CheckedMutation, check_mutation
from app.verification.noise import Noise, measure_noise
from app.verification.trial import Effort, Material, Trial, VerificationPools
from tests.verification.bench import material_of, package_of, trial_of


@pytest.fixture(scope="module")
def trial(pools: VerificationPools) -> Trial:
    return trial_of(package_of("scaled_mean"), pools)


@pytest.fixture(scope="module")
def material(trial: Trial) -> Material:
    return material_of(trial)


@pytest.fixture(scope="module")
def noise(trial: Trial, material: Material) -> Noise:
    return measure_noise(trial, material)


@pytest.fixture(scope="module")
def checked(trial: Trial, material: Material, noise: Noise) -> CheckedMutation:
    return check_mutation(trial, material, noise)


def find(checked: CheckedMutation, added: str) -> Mutant:
    assert checked.section is not None
    (found,) = [mutant for mutant in checked.section.mutants if f"\n+    {added}\n" in mutant.diff]
    return found


@pytest.mark.whole
def test_a_mutant_that_a_case_notices_is_killed(checked: CheckedMutation) -> None:
    mutant = find(checked, "return np.float32(scale / np.flip(kept).sum() / counted)")

    assert (mutant.outcome, mutant.how) == ("killed", "values outside tolerance")
    assert mutant.killed_by
    assert mutant.largest is not None
    assert mutant.largest > 1


@pytest.mark.whole
def test_a_mutant_that_hangs_is_killed_and_the_others_go_on(checked: CheckedMutation) -> None:
    mutant = find(checked, "    pass")

    assert (mutant.operator, mutant.outcome, mutant.how) == ("statement left out", "killed", "time limit exceeded")


def test_a_planted_survivor_is_found_with_its_lines_and_a_suggestion(checked: CheckedMutation) -> None:
    mutant = find(checked, "kept = x")

    assert mutant.outcome == "survived"
    assert "\n-    kept = np.clip(x, 0.0, 4.0)\n" in mutant.diff
    assert "case" in mutant.suggestion


def test_mutants_that_compute_the_same_do_not_count(checked: CheckedMutation) -> None:
    assert find(checked, "counted = sum(list([len(x), 1]))").outcome == "equivalent"
    assert find(checked, "return np.float32(scale * kept.sum() / counted)").outcome in ("equivalent", "rounding")


def test_too_many_survivors_are_an_error_and_each_is_shown(checked: CheckedMutation) -> None:
    assert checked.section is not None
    killed, survived = (len(checked.section.having(outcome)) for outcome in ("killed", "survived"))

    assert checked.section.strength == round(killed / (killed + survived), 3)
    assert [finding.severity for finding in checked.findings] == ["error"] + survived * ["warning"]
    assert all(finding.details.startswith("--- ") for finding in checked.findings[1:])


def test_right_answers_in_other_ways_stay_near(noise: Noise) -> None:
    assert {way.name: (way.cases, way.left_out) for way in noise.ways} == {
        "float64": (2, ""),
        "reduction order": (2, ""),
    }
    used = {sample.label: sample.distance.used for sample in noise.samples if sample.case == "many"}
    assert set(used) == {"float64", "reduction order", "plain"}
    assert all(share is not None and 0 <= share < 0.1 for share in used.values())
    assert any(used.values())


def test_as_few_mutants_are_run_as_are_asked_for(trial: Trial, material: Material) -> None:
    few = trial_of(trial.package, trial.pools, Effort(mutants=3))

    section = check_mutation(few, material, Noise()).section

    assert section is not None
    assert len(section.mutants) == 3 < section.possible
    assert {judged.submission.verdict for judged in material.judged} == {Verdict.ACCEPTED, Verdict.WRONG_ANSWER}


def test_mutants_run_first_on_the_smallest_case_that_most_wrong_solutions_fail(pools: VerificationPools) -> None:
    trial = trial_of(package_of("running_mean"), pools)
    package = trial.package
    candidate = Candidate(list_mutants(package.reference, package.manifest.entry_point, "reference.py")[0])

    MutantRunner(trial, material_of(trial)).run([candidate])

    assert next(iter(candidate.distances)) == "worked_example"
