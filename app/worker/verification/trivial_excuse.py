"""Why an answer that takes no thought may pass: only where the package's own rules say that it is right."""

from app.judging.comparison import Comparison
from app.judging.verdicts import Verdict
from app.worker.verification.trial import Material, Trial
from app.worker.verification.trivial_answers import CHANGES, Case, mapped

# A tolerance this many times above the noise of right answers leaves no room to tighten it.
ROOM = 10.0


def excuse(trial: Trial, material: Material, name: str) -> str | None:
    """Of an answer that passes wherever it was tried."""
    if name == "float64" and trial.package.manifest.dtype_policy != "exact":
        return f"dtype_policy {trial.package.manifest.dtype_policy} takes any float: it is the same answer"
    if name == "float16_inside":
        return _precision_excuse(trial, material)
    if name == "other_case" and _are_samples(trial):
        return "checker distribution: other samples of one distribution are right"
    return None


def _are_samples(trial: Trial) -> bool:
    checkers = trial.package.manifest.checkers
    return bool(checkers) and all(checker.checker == "distribution" for checker in checkers.values())


def _precision_excuse(trial: Trial, material: Material) -> str | None:
    """Right answers that are nearly as far off as float16's rounding leave no tolerance that tells them apart."""
    if _are_samples(trial):
        return "checker distribution: rounded samples have the same distribution"
    rounded, noise = 0.0, 0.0
    accepted = [judged for judged in material.judged if judged.attempt.verdict is Verdict.ACCEPTED]
    for case in map(Case.open, material.cases):
        rounded = max(rounded, _used(trial.compare(case.prepared, mapped(case.expected, CHANGES["float16_inside"]))))
        for judged in accepted:
            if (answer := judged.attempt.answers.get(case.prepared.name)) is not None:
                noise = max(noise, _used(trial.compare_encoded(case.prepared, answer)))
    if noise * ROOM < rounded:
        return None
    return f"accepted solutions use up to {noise:.2g} of the tolerance, float16's rounding {rounded:.2g}"


def _used(comparison: Comparison) -> float:
    return max((leaf.tolerance_used or 0.0 for leaf in comparison.leaves), default=0.0)
