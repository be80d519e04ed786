"""Check that the tolerance lies between the noise of right answers and the signal of wrong ones.

Errors are measured as a share of the tolerance, so that 1 is the limit. Noise comes from accepted solutions and from
the reference computed in other ways; each must stay below 1. Signal comes from wrong solutions and mutants; the largest
error of each must exceed 1.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import floor, inf, isfinite, isinf, log10, sqrt

from app.catalog.folder import MANIFEST_FILE
from app.catalog.verification_report import Finding, Severity
from app.catalog.verification_section import (
    CalibratedLeaf,
    CalibrationSection,
    MeasuredError,
    State,
    share_text,
    used_text,
)
from app.engine.custom_checker import CustomChecker
from app.engine.request import rules_of
from app.judging.comparison import LeafReport, Rules, find_pattern
from app.judging.options import Margin
from app.judging.verdicts import Verdict
from app.verification.distance import distances_of, share_of
from app.verification.noise import Noise, Sample
from app.verification.trial import CheckResult, Material, Trial

# The tolerance should be this many times the noise, and the signal this many times the tolerance.
COMFORTABLE = 3.0
# If the signal is less than this many times the noise, chance decides some verdicts.
NARROW = 10.0
EVERYWHERE = "*"
NO_WAY = "judge by the errors of the accepted solutions, and add one that computes in another way"


@dataclass(frozen=True, slots=True)
class ToleranceGroup:
    """Leaves that share a pattern, a checker and a tolerance."""

    path: str
    checker: str
    rtol: float | None
    atol: float | None


Key = tuple[str, str]
_NO_LEAVES = ToleranceGroup("", "", None, None)


def check_calibration(
    trial: Trial, material: Material, noise: Noise, mutants: Sequence[Sample]
) -> CheckResult[CalibrationSection]:
    """`mutants`: the errors of killed mutants. Raises JudgeFailed, BoxLost, Aborted."""
    rules = rules_of(trial.package.manifest)
    right, wrong = _worst(rules, noise.samples), _worst(rules, [*_wrong(trial, material), *mutants])
    signal, without = _where_furthest(wrong)
    groups = sorted({*right, *wrong} - {_NO_LEAVES}, key=lambda group: (group.path, group.checker))
    leaves = tuple(calibrate(group, right.get(group, {}).values(), signal.get(group, ())) for group in groups)
    section = CalibrationSection(leaves=leaves, ways=noise.ways, without_number=without)
    diffs = {sample.label: sample.diff for sample in mutants}
    return CheckResult(section, _summary(section), tuple(_findings(section, diffs)))


def _wrong(trial: Trial, material: Material) -> Iterator[Sample]:
    """Yield the errors of the wrong solutions."""
    asker = CustomChecker(trial.package, trial.pools.boxes, trial.abort)
    for judged in material.judged:
        if judged.submission.verdict is not Verdict.WRONG_ANSWER:
            continue
        outcomes = judged.attempt.outcomes
        answers = [(case, outcomes[case.name]) for case in material.cases if case.name in outcomes]
        for (case, _), distance in zip(answers, distances_of(asker, answers), strict=True):
            yield Sample(kind="wrong", label=judged.submission.name, case=case.name, distance=distance)


def _group_of(rules: Rules, leaf: LeafReport) -> ToleranceGroup:
    pattern = find_pattern(leaf.path, rules.leaves) or find_pattern(leaf.path, rules.checkers)
    return ToleranceGroup(pattern or EVERYWHERE, leaf.checker, leaf.rtol, leaf.atol)


def _worst(rules: Rules, samples: Iterable[Sample]) -> dict[ToleranceGroup, dict[Key, MeasuredError]]:
    """Return the largest error of each label in each group."""
    found: dict[ToleranceGroup, dict[Key, MeasuredError]] = defaultdict(dict)
    for sample in samples:
        key = (sample.kind, sample.label)
        if not sample.distance.leaves:
            found[_NO_LEAVES][key] = _measured(sample, None)
        for leaf in sample.distance.leaves:
            group = _group_of(rules, leaf)
            before = found[group].get(key)
            measured = _measured(sample, leaf)
            if before is None or measured.value > before.value:
                found[group][key] = measured
    return found


def _measured(sample: Sample, leaf: LeafReport | None) -> MeasuredError:
    """An answer of another structure has no leaves; its error is infinite."""
    value = inf if leaf is None else share_of(leaf) or 0.0
    return MeasuredError(
        kind=sample.kind,
        label=sample.label,
        case=sample.case,
        value=value,
        absolute=leaf.max_abs if leaf else None,
        relative=leaf.max_rel if leaf else None,
    )


def _where_furthest(
    wrong: Mapping[ToleranceGroup, Mapping[Key, MeasuredError]],
) -> tuple[dict[ToleranceGroup, list[MeasuredError]], int]:
    """Return each wrong answer in the group where its error is largest, and how many errors are infinite."""
    signal: dict[ToleranceGroup, list[MeasuredError]] = defaultdict(list)
    without = 0
    for key in sorted({key for found in wrong.values() for key in found}):
        group, measured = max(
            ((group, found[key]) for group, found in wrong.items() if key in found), key=lambda each: each[1].value
        )
        if isfinite(measured.value):
            signal[group].append(measured)
        else:
            without += 1
    return signal, without


def calibrate(group: ToleranceGroup, noise: Iterable[MeasuredError], signal: Sequence[MeasuredError]) -> CalibratedLeaf:
    leaf = CalibratedLeaf(
        path=group.path,
        checker=group.checker,
        tolerance=None if group.rtol is None else Margin(rtol=group.rtol, atol=group.atol or 0.0),
        noise=tuple(sorted(noise, key=lambda measured: -measured.value)),
        signal=tuple(sorted(signal, key=lambda measured: measured.value)),
        suggestion=None,
        state="inside",
    )
    state = _state(leaf, group)
    return leaf.model_copy(update={"state": state, "suggestion": _suggest(leaf, state)})


def _state(leaf: CalibratedLeaf, group: ToleranceGroup) -> State:
    noise, signal = leaf.largest_noise or 0.0, leaf.smallest_signal
    if group.rtol == group.atol == 0 or (group.rtol is None and not any(m.value for m in (*leaf.noise, *leaf.signal))):
        return "exact" if noise == 0 else "too_tight"
    if signal is not None and noise >= signal:
        return "no_gap"
    if noise > 1:
        return "too_tight"
    if signal is None:
        return "no_signal"
    if signal <= 1:
        return "too_loose"
    if not leaf.noise:
        return "no_noise"
    return "narrow" if noise * NARROW > signal else "inside"


def _suggest(leaf: CalibratedLeaf, state: State) -> Margin | None:
    """Return the middle of the gap on a logarithmic scale.

    None if the tolerance is well inside the gap, equals the middle already, or if there is no gap.
    """
    noise, signal = leaf.largest_noise or 0.0, leaf.smallest_signal
    if leaf.tolerance is None or signal is None or noise <= 0 or noise >= signal:
        return None
    if state == "inside" and noise * COMFORTABLE <= 1 and signal >= COMFORTABLE:
        return None
    middle = sqrt(noise) * sqrt(signal)
    rtol, atol = min(_rounded(leaf.tolerance.rtol * middle), 1.0), _rounded(leaf.tolerance.atol * middle)
    return None if (rtol, atol) == (leaf.tolerance.rtol, leaf.tolerance.atol) else Margin(rtol=rtol, atol=atol)


def _rounded(value: float) -> float:
    """Round to 1, 2 or 5 times a power of ten, the nearest on a logarithmic scale."""
    if value <= 0:
        return 0.0
    exponent = floor(log10(value))
    steps = (float(f"{digit}e{power}") for power in (exponent, exponent + 1) for digit in (1, 2, 5))
    return min(steps, key=lambda step: abs(log10(step) - log10(value)))


def _summary(section: CalibrationSection) -> str:
    numbered = [leaf for leaf in section.leaves if leaf.state not in ("exact", "not_calibrated")]
    noises = [leaf.largest_noise for leaf in numbered if leaf.largest_noise is not None]
    signals = [leaf.smallest_signal for leaf in numbered if leaf.smallest_signal is not None]
    if not noises:
        return "no answer depends on a tolerance"
    least = f", wrong ones ≥ {share_text(min(signals))}" if signals else ""
    return f"right answers use ≤ {used_text(max(noises))}{least}"


def _findings(section: CalibrationSection, diffs: Mapping[str, str]) -> Iterator[Finding]:
    for leaf in section.leaves:
        mutant = next((measured.label for measured in leaf.signal[:1] if measured.kind == "mutant"), "")
        for finding in findings_about(leaf):
            yield finding.model_copy(update={"file": MANIFEST_FILE, "details": diffs.get(mutant, "")})
    if section.ways and not any(way.cases for way in section.ways):
        message = f"the reference could not be computed in other ways: {section.ways[0].left_out}"
        yield Finding(check="calibration", severity="note", message=message, remedy=NO_WAY, file=MANIFEST_FILE)


def findings_about(leaf: CalibratedLeaf) -> Iterator[Finding]:
    """Yield the findings about the tolerance of a leaf. Their file and the mutant's diff are added to them."""
    noise, signal = next(iter(leaf.noise), None), next(iter(leaf.signal), None)
    where = f"at {leaf.path}, " if leaf.path != EVERYWHERE else ""
    told = {
        "no_gap": f"{where}no tolerance separates right from wrong answers: {_far(noise)}, and {_far(signal)}",
        "too_tight": f"{where}the tolerance rejects right answers: {_far(noise)}",
        "too_loose": f"{where}the tolerance accepts a wrong answer: {_far(signal)}",
        "narrow": f"{where}right and wrong answers are close together: {_far(noise)}, and {_far(signal)}",
    }
    if leaf.state in told:
        severity: Severity = "warning" if leaf.state == "narrow" else "error"
        yield Finding(check="calibration", severity=severity, message=told[leaf.state], remedy=_remedy(leaf))
    elif leaf.suggestion is not None:
        message = (
            f"{where}the tolerance is near the edge of the range that separates right from wrong answers: "
            f"{_far(noise)}, and {_far(signal)}"
        )
        yield Finding(check="calibration", severity="note", message=message, remedy=_remedy(leaf))
    elif leaf.state == "no_signal":
        message = f"{where}no wrong answer shows how large the tolerance may be"
        remedy = "add a wrong solution whose largest error is here"
        yield Finding(check="calibration", severity="note", message=message, remedy=remedy)


def _far(measured: MeasuredError | None) -> str:
    if measured is None:
        return "nothing was measured"
    error = "" if measured.absolute is None else f" (off by {measured.absolute:.3g})"
    return f"{_whose(measured)} uses {used_text(measured.value)} in {measured.case}{error}"


def _whose(measured: MeasuredError) -> str:
    return {
        "reference": f"the reference ({measured.label})",
        "accepted": f"accepted/{measured.label}",
        "wrong": f"wrong_answer/{measured.label}",
        "mutant": f"the mutant at {measured.label},",
    }[measured.kind]


def _remedy(leaf: CalibratedLeaf) -> str:
    if isinf(leaf.largest_noise or 0.0):
        return f"correct {_whose(leaf.noise[0])}: it has NaN, inf or another shape where the reference has numbers"
    if leaf.suggestion is not None:
        key = "tolerance" if leaf.path == EVERYWHERE else f'tolerance.leaves, "{leaf.path}"'
        return f"set {key} to {{rtol: {leaf.suggestion.rtol:g}, atol: {leaf.suggestion.atol:g}}}"
    is_squeezed = leaf.tolerance is not None and leaf.smallest_signal is not None and bool(leaf.largest_noise)
    if leaf.state in ("no_gap", "narrow") or is_squeezed:
        noisy = _whose(leaf.noise[0]) if leaf.noise else "the reference"
        return f"draw inputs on which wrong answers have larger errors, or make {noisy} more precise"
    if leaf.tolerance is None:
        return f"change the options of the checker {leaf.checker}"
    return "widen the tolerance" if leaf.state == "too_tight" else "tighten the tolerance"
