"""Mutation strength: small faults planted in the reference, and the share of them that the cases notice."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.catalog.folder import FILE_OF_KEY
from app.catalog.package import Package
from app.catalog.source import Source
from app.catalog.verification.report import Finding
from app.catalog.verification.strength import Mutant, MutationSection
from app.judging.requirement import plural
from app.worker.verification.mutation.hunt import Hunt, Suspect
from app.worker.verification.mutation.mutants import list_mutants, sample_mutants
from app.worker.verification.mutation.outcome import Judgement, judge_survivors
from app.worker.verification.noise import Noise, Sample
from app.worker.verification.place import places_of
from app.worker.verification.trial import Checked, Material, Trial

MOST = 80
MOST_QUICKLY = 24
SEED = 1
ENOUGH = 0.9
DIGITS = 3


@dataclass(frozen=True, slots=True)
class CheckedMutation(Checked[MutationSection]):
    """With how far off the mutants are that compute something else."""

    signal: tuple[Sample, ...] = ()


def check_mutation(trial: Trial, material: Material, noise: Noise) -> CheckedMutation:
    """Raises JudgeFailed, BoxLost, Aborted."""
    package, place = trial.package, places_of(trial.package)[FILE_OF_KEY["reference"]]
    possible = list_mutants(package.reference, package.manifest.entry_point, place.key or place.file, trial.abort)
    most = MOST_QUICKLY if trial.effort.is_quick else MOST
    most = most if trial.effort.mutants is None else trial.effort.mutants
    suspects = [Suspect(change) for change in sample_mutants(possible, most, SEED)]
    hunt = Hunt(trial, material)
    hunt.run(suspects)
    hunt.try_idle(suspects)
    judgements = judge_survivors(hunt, [suspect for suspect in suspects if not suspect.killed_by], noise)
    mutants = tuple(_mutant(suspect, judgements.get(suspect), place) for suspect in suspects)
    section = MutationSection(possible=len(possible), mutants=mutants, strength=_strength(mutants))
    signal = [sample for s, mutant in zip(suspects, mutants, strict=True) for sample in _signal(s, mutant)]
    return CheckedMutation(section, _summary(section), _findings(section, package, place), signal=tuple(signal))


def _mutant(suspect: Suspect, judgement: Judgement | None, place: Source) -> Mutant:
    used = [distance.used for distance in suspect.distances.values() if distance.used is not None]
    change = suspect.change
    return Mutant(
        operator=change.operator.name,
        line=place.above + change.line,
        diff=change.diff,
        outcome=judgement.outcome if judgement else "killed",
        killed_by=suspect.killed_by,
        how=judgement.how if judgement else suspect.how,
        largest=max(used, default=None),
        suggestion=judgement.suggestion if judgement else "",
    )


def _strength(mutants: Sequence[Mutant]) -> float | None:
    killed = sum(mutant.outcome == "killed" for mutant in mutants)
    counted = killed + sum(mutant.outcome == "survived" for mutant in mutants)
    return round(killed / counted, DIGITS) if counted else None


def _signal(suspect: Suspect, mutant: Mutant) -> list[Sample]:
    if mutant.outcome != "killed":
        return []
    label = f"line {mutant.line}, {mutant.operator}"
    return [
        Sample(kind="mutant", label=label, case=case, distance=distance)
        for case, distance in suspect.distances.items()
        if not distance.is_right
    ]


def percent(share: float) -> str:
    """Rounded down: 100 % means all."""
    return f"{int(100 * share + 1e-9)} %"


def _summary(section: MutationSection) -> str:
    if section.strength is None:
        return "no mutant that counts"
    killed, survived = len(section.having("killed")), len(section.having("survived"))
    spared = len(section.having("equivalent")) + len(section.having("rounding"))
    aside = f"; {spared} {'computes' if spared == 1 else 'compute'} the same" if spared else ""
    return f"{killed} of {plural(killed + survived, 'mutant')} killed ({percent(section.strength)}){aside}"


def _findings(section: MutationSection, package: Package, place: Source) -> tuple[Finding, ...]:
    survivors = section.having("survived")
    found = [
        Finding(
            check="mutation",
            severity="warning",
            message=f"a mutant passes every case ({mutant.operator})",
            remedy=mutant.suggestion,
            file=place.file,
            line=mutant.line,
            details=mutant.diff,
        )
        for mutant in survivors
    ]
    if section.strength is None:
        message = f"no fault could be planted in {package.slug}'s reference, so nothing shows what the cases notice"
        found.append(Finding(check="mutation", severity="note", message=message, remedy="rely on wrong submissions"))
    elif section.strength < ENOUGH:
        share = f"{percent(section.strength)} of the faults planted in the reference"
        message = f"the cases notice {share}; {percent(ENOUGH)} are needed"
        remedy = "add cases that tell the mutants listed from the reference, or draw inputs that do"
        found.insert(0, Finding(check="mutation", severity="error", message=message, remedy=remedy, file=place.file))
    return tuple(found)
