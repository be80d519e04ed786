"""Mutation strength: the share of small faults, planted in the reference, that the cases notice.

A mutant that every case accepts computes the same, breaks a requirement, or survives. To tell these apart, it runs on
further inputs and is compared with the reference: value by value, and up to rounding.
"""

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from app.catalog.folder import FILE_OF_KEY, digest
from app.catalog.package import Package
from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.catalog.verification_section import Mutant, MutationSection, Outcome
from app.engine.prepare import Draw, PreparedCase, prepare
from app.judging.leaf import leaves
from app.judging.requirement import plural
from app.judging.verdicts import Verdict
from app.verification.mutation.mutants import list_mutants, sample_mutants
from app.verification.mutation.runner import Candidate, MutantRunner
from app.verification.noise import Noise, Sample
from app.verification.package_texts import sources_by_file
from app.verification.trial import CheckResult, Material, Trial, some_of_each
from sandbox.guest.codec import decode, encode

VARIANT = 1
MOST_MOVED = 5
LITTLE, FAR = (0.9, 1.1), (-3.0, 3.0)
Range = tuple[float, float]
REQUIREMENT = "requirement not met"
BEYOND = "{remedy}; it gives another answer on inputs further from 0, or of the other sign"
BY_LUCK = "another draw of {cases} kills the mutant; draw from a wider range, so that every draw kills it"
# Each is judged like a submission, which compiles it again.
MOST_JUDGED = 12
MOST = 80
MOST_QUICKLY = 24
SEED = 1
ENOUGH = 0.9
DIGITS = 3


@dataclass(frozen=True, slots=True)
class CheckedMutation(CheckResult[MutationSection]):
    """`signal`: how far off the killed mutants are."""

    signal: tuple[Sample, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    outcome: Outcome
    how: str = ""
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class Probes:
    """Further inputs. `fresh`: another variant's. `moved`: some of them with every float scaled.

    Scaling by a little changes values that cases hold fixed, such as a learning rate. Scaling by more passes limits and
    changes signs. The expected outputs of `moved` are wrong; the mutants are compared with a new run of the reference,
    and inputs that it can't answer are left out. `nudged`: those of `moved`, changed in the last place: far from the
    cases, a computation may diverge and turn every rounding into another answer.
    """

    fresh: tuple[PreparedCase, ...]
    moved: tuple[PreparedCase, ...]
    nudged: tuple[PreparedCase, ...]


def check_mutation(trial: Trial, material: Material, noise: Noise) -> CheckedMutation:
    """Raises JudgeFailed, BoxLost, Aborted."""
    package, source = trial.package, sources_by_file(trial.package)[FILE_OF_KEY["reference"]]
    possible = list_mutants(package.reference, package.manifest.entry_point, source.key or source.file, trial.abort)
    most = MOST_QUICKLY if trial.effort.is_quick else MOST
    most = most if trial.effort.mutants is None else trial.effort.mutants
    candidates = [Candidate(change) for change in sample_mutants(possible, most, SEED)]
    runner = MutantRunner(trial, material)
    runner.run(candidates)
    runner.try_idle(candidates)
    judgements = judge_survivors(runner, [candidate for candidate in candidates if not candidate.killed_by], noise)
    mutants = tuple(_mutant(candidate, judgements.get(candidate), source) for candidate in candidates)
    section = MutationSection(possible=len(possible), mutants=mutants, strength=_strength(mutants))
    signal = [sample for s, mutant in zip(candidates, mutants, strict=True) for sample in _signal(s, mutant)]
    return CheckedMutation(section, _summary(section), _findings(section, package, source), signal=tuple(signal))


def _mutant(candidate: Candidate, judgement: Judgement | None, source: Source) -> Mutant:
    used = [distance.used for distance in candidate.distances.values() if distance.used is not None]
    change = candidate.change
    return Mutant(
        operator=change.operator.name,
        line=source.above + change.line,
        diff=change.diff,
        outcome=judgement.outcome if judgement else "killed",
        killed_by=candidate.killed_by,
        how=judgement.how if judgement else candidate.how,
        largest=max(used, default=None),
        suggestion=judgement.suggestion if judgement else "",
    )


def _strength(mutants: Sequence[Mutant]) -> float | None:
    killed = sum(mutant.outcome == "killed" for mutant in mutants)
    counted = killed + sum(mutant.outcome == "survived" for mutant in mutants)
    return round(killed / counted, DIGITS) if counted else None


def _signal(candidate: Candidate, mutant: Mutant) -> list[Sample]:
    if mutant.outcome != "killed":
        return []
    label = f"line {mutant.line}, {mutant.operator}"
    return [
        Sample(kind="mutant", label=label, case=case, distance=distance, diff=mutant.diff)
        for case, distance in candidate.distances.items()
        if not distance.is_right
    ]


def percent(share: float) -> str:
    """Format a share, rounded down, so that 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"


def _summary(section: MutationSection) -> str:
    if section.strength is None:
        return "no mutants to count"
    killed, survived = len(section.having("killed")), len(section.having("survived"))
    spared = len(section.having("equivalent")) + len(section.having("rounding"))
    aside = f"; {spared} {'computes' if spared == 1 else 'compute'} the same" if spared else ""
    return f"{killed} of {plural(killed + survived, 'mutant')} killed ({percent(section.strength)}){aside}"


def _findings(section: MutationSection, package: Package, source: Source) -> tuple[Finding, ...]:
    survivors = section.having("survived")
    found = [
        Finding(
            check="mutation",
            severity="warning",
            message=f"a mutant passes every case ({mutant.operator})",
            remedy=mutant.suggestion,
            file=source.file,
            line=mutant.line,
            details=mutant.diff,
        )
        for mutant in survivors
    ]
    if section.strength is None:
        message = f"no fault could be planted in {package.slug}'s reference, so the strength of the cases is unknown"
        found.append(
            Finding(
                check="mutation",
                severity="note",
                message=message,
                remedy="add wrong submissions instead",
                file=source.file,
            )
        )
    elif section.strength < ENOUGH:
        share = f"{percent(section.strength)} of the faults planted in the reference"
        message = f"the cases notice {share}; {percent(ENOUGH)} are needed"
        remedy = "add cases that kill the mutants listed, or draw inputs that do"
        found.insert(0, Finding(check="mutation", severity="error", message=message, remedy=remedy, file=source.file))
    return tuple(found)


def judge_survivors(
    runner: MutantRunner, survivors: Sequence[Candidate], noise: Noise
) -> Mapping[Candidate, Judgement]:
    """Raises JudgeFailed, BoxLost, Aborted."""
    judged = _by_requirement(runner, survivors)
    rest = [candidate for candidate in survivors if candidate not in judged]
    alike = [candidate for candidate in rest if candidate.close or _within(candidate, noise)]
    if alike:
        probes = draw_probes(runner.trial)
        fresh, moved = [Candidate(s.change) for s in alike], [Candidate(s.change) for s in alike]
        work = [(probes.fresh, fresh, ()), (probes.moved, moved, probes.nudged)]
        runner.trial.each("mutants on other inputs", work, lambda task: runner.try_on(*task))
        judged |= {s: _compared(s, f, m, noise) for s, f, m in zip(alike, fresh, moved, strict=True)}
    return judged | {s: _survived(s) for s in rest if s not in judged}


def _by_requirement(runner: MutantRunner, survivors: Sequence[Candidate]) -> dict[Candidate, Judgement]:
    if not runner.trial.package.manifest.requirements:
        return {}

    def breaks(candidate: Candidate) -> bool:
        attempt = runner.trial.attempt(candidate.change.source, some_of_each(runner.material.cases))
        return attempt.verdict is Verdict.REQUIREMENT_NOT_MET

    tried = survivors[:MOST_JUDGED]
    broken = runner.trial.each("mutants and requirements", tried, breaks)
    killed = Judgement(outcome="killed", how=REQUIREMENT)
    return {candidate: killed for candidate, is_broken in zip(tried, broken, strict=True) if is_broken}


def _within(candidate: Candidate, noise: Noise) -> bool:
    """Whether it is no further off than the reference with its sums in another order."""
    return all((distance.used or 0.0) <= noise.of_rounding for distance in candidate.distances.values())


def _compared(candidate: Candidate, fresh: Candidate, moved: Candidate, noise: Noise) -> Judgement:
    if fresh.killed_by:
        return Judgement(outcome="survived", suggestion=BY_LUCK.format(cases=", ".join(fresh.killed_by)))
    if candidate.same and fresh.same and moved.same:
        return Judgement(outcome="equivalent")
    if candidate.close and fresh.close and moved.close:
        return Judgement(outcome="rounding")
    if not candidate.close and _within(fresh, noise):
        return Judgement(outcome="rounding")
    if candidate.same and fresh.same:
        return Judgement(outcome="survived", suggestion=BEYOND.format(remedy=candidate.change.operator.remedy))
    return _survived(candidate)


def _survived(candidate: Candidate) -> Judgement:
    return Judgement(outcome="survived", suggestion=candidate.change.operator.remedy)


def draw_probes(trial: Trial) -> Probes:
    """Raises JudgeFailed, BoxLost, Aborted."""
    secret = hashlib.sha256(f"probes of {digest(trial.package.files)}".encode()).digest()

    draw = Draw(secret, VARIANT)
    prepared = prepare(trial.with_few_cases.package, draw, trial.pools.boxes, trial.abort).cases
    # Evenly from small to large, so that several shapes are among them.
    by_size = sorted(prepared, key=lambda case: len(case.inputs))
    moved = tuple(_moved(case, by) for by in (LITTLE, FAR) for case in by_size[:: -(-len(by_size) // MOST_MOVED)])
    return Probes(prepared, moved, tuple(map(_nudged, moved)))


def _moved(case: PreparedCase, by: Range) -> PreparedCase:
    random = np.random.Generator(np.random.PCG64(0))
    inputs = encode(_each(decode(case.inputs), lambda value: random.uniform(*by, np.shape(value))))
    return replace(case, name=f"{case.name} times {by[0]:g} to {by[1]:g}", inputs=inputs)


def _nudged(case: PreparedCase) -> PreparedCase:
    """Change each float by one unit in the last place. Plain floats are as precise as the widest array."""
    inputs = decode(case.inputs)
    is_wide = any(getattr(value, "dtype", None) == np.float64 for _, value in leaves(inputs))

    def unit(value: Any) -> Any:
        dtype = value.dtype if isinstance(value, np.ndarray) else np.float64 if is_wide else np.float32
        return 1 + np.finfo(dtype).eps

    return replace(case, name=f"{case.name}, nudged", inputs=encode(_each(inputs, unit)))


def _each(value: Any, factor: Callable[[Any], Any]) -> Any:
    """Scale the floats of the inputs, except plain whole numbers, which may be counts or seeds."""
    if isinstance(value, dict):
        return {key: _each(item, factor) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each(item, factor) for item in value]
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.asarray(value * factor(value)).astype(value.dtype)
    if isinstance(value, float) and math.isfinite(value) and not value.is_integer():
        return value * abs(float(factor(value)))
    return value
