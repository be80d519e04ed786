"""What becomes of mutants that every case accepts: they compute the same, or break a requirement, or survive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.verification.strength import Outcome
from app.judging.verdicts import Verdict
from app.worker.verification.mutation.hunt import Hunt, Suspect
from app.worker.verification.mutation.probe import draw_probes
from app.worker.verification.noise import Noise

REQUIREMENT = "requirement not met"
BEYOND = "{remedy}; on inputs further from 0, or of the other sign, it does give another answer"
BY_LUCK = "another draw of {cases} tells it apart; widen what that case draws, so that every draw does"
# Each is judged as a submission is, which compiles anew.
MOST_JUDGED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    outcome: Outcome
    how: str = ""
    suggestion: str = ""


def judge_survivors(hunt: Hunt, survivors: Sequence[Suspect], noise: Noise) -> Mapping[Suspect, Judgement]:
    """Raises JudgeFailed, BoxLost, Aborted."""
    judged = _by_requirement(hunt, survivors)
    rest = [suspect for suspect in survivors if suspect not in judged]
    alike = [suspect for suspect in rest if suspect.close or _within(suspect, noise)]
    if alike:
        probes = draw_probes(hunt.trial)
        fresh, moved = [Suspect(s.change) for s in alike], [Suspect(s.change) for s in alike]
        work = [(probes.fresh, fresh), (probes.moved, moved)]
        hunt.trial.each("mutants on other inputs", work, lambda task: hunt.try_on(*task))
        judged |= {s: _compared(s, f, m, noise) for s, f, m in zip(alike, fresh, moved, strict=True)}
    return judged | {s: _survived(s) for s in rest if s not in judged}


def _by_requirement(hunt: Hunt, survivors: Sequence[Suspect]) -> dict[Suspect, Judgement]:
    if not hunt.trial.package.manifest.requirements:
        return {}

    def breaks(suspect: Suspect) -> bool:
        attempt = hunt.trial.attempt(suspect.change.source, hunt.material.cases)
        return attempt.verdict is Verdict.REQUIREMENT_NOT_MET

    tried = survivors[:MOST_JUDGED]
    broken = hunt.trial.each("mutants and requirements", tried, breaks)
    killed = Judgement(outcome="killed", how=REQUIREMENT)
    return {suspect: killed for suspect, is_broken in zip(tried, broken, strict=True) if is_broken}


def _within(suspect: Suspect, noise: Noise) -> bool:
    """Whether it is no further off than the reference is when its sums are taken in another order."""
    return all((distance.used or 0.0) <= noise.of_rounding for distance in suspect.distances.values())


def _compared(suspect: Suspect, fresh: Suspect, moved: Suspect, noise: Noise) -> Judgement:
    if fresh.killed_by:
        return Judgement(outcome="survived", suggestion=BY_LUCK.format(cases=", ".join(fresh.killed_by)))
    if suspect.same and fresh.same and moved.same:
        return Judgement(outcome="equivalent")
    if suspect.close and fresh.close and moved.close:
        return Judgement(outcome="rounding")
    if not suspect.close and _within(fresh, noise):
        return Judgement(outcome="rounding")
    if suspect.same and fresh.same:
        return Judgement(outcome="survived", suggestion=BEYOND.format(remedy=suspect.change.operator.remedy))
    return _survived(suspect)


def _survived(suspect: Suspect) -> Judgement:
    return Judgement(outcome="survived", suggestion=suspect.change.operator.remedy)
