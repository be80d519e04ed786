"""Running mutants on cases until one kills them, cheaply.

First all of them on one case of middling size, and then those that are left on the others, cases of the same shapes
together. Many mutants share a process, which has run the reference itself before: what JAX compiled for it serves them
too. A mutant that fails by little runs on, so that it is known how far off it is at its worst.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from app.judging.checker import VALUES
from app.judging.structure import leaves
from app.judging.verdicts import Verdict
from app.verification.batch import Call, Version, call_all
from app.verification.distance import Distance, distance_of, is_rounding
from app.verification.mutation.mutants import Change
from app.verification.noise import some_of_each
from app.verification.trial import AT_ONCE, Material, Trial
from app.worker.custom_checker import CustomChecker
from app.worker.prepare import PreparedCase
from app.worker.request import PATIENCE
from sandbox.guest.codec import decode

# A mutant that fails by less than so many tolerances is run on the other cases too.
MILD = 10.0
# Of cases that nothing failed yet: so many mutants that others killed are tried on them.
TRIED_AGAIN = 4
# A hanging mutant costs a compilation anew, and waiting for it.
SLACK_SECONDS = 2.0
SLACK = 3.0


@dataclass(slots=True, eq=False)
class Suspect:
    """`same`, `close`: whether each answer so far had the reference's bits, or was off by rounding only."""

    change: Change
    distances: dict[str, Distance] = field(default_factory=dict)
    same: bool = True
    close: bool = True

    @property
    def killed_by(self) -> tuple[str, ...]:
        return tuple(case for case, distance in self.distances.items() if not distance.is_right)

    @property
    def how(self) -> str:
        """What is wrong with it where it is first; "" where nothing is."""
        return next((distance.how for distance in self.distances.values() if not distance.is_right), "")

    @property
    def is_dead(self) -> bool:
        """Beyond doubt: by far, or in a way that has no measure."""
        wrong = [distance for distance in self.distances.values() if not distance.is_right]
        return any(distance.used is None or distance.used >= MILD for distance in wrong)


@dataclass(frozen=True, slots=True)
class Hunt:
    trial: Trial
    material: Material

    def run(self, suspects: Sequence[Suspect]) -> None:
        """Raises JudgeFailed, BoxLost, Aborted."""
        first, groups = _in_order(some_of_each(self.material.cases))
        share = -(-len(suspects) // AT_ONCE) or 1
        parts = [suspects[start : start + share] for start in range(0, len(suspects), share)]
        self.trial.each("mutants", parts, lambda part: self.try_on([first], part))
        left = "mutants that are left"
        self.trial.each(left, groups, lambda group: self.try_on(group, [s for s in suspects if not s.is_dead]))

    def try_idle(self, suspects: Sequence[Suspect]) -> None:
        """Cases that have caught nothing may only have come late: they get some of those that others caught."""
        busy = {name for judged in self.material.judged for name in judged.attempt.failed}
        busy.update(name for suspect in suspects for name in suspect.killed_by)
        idle = [case for case in some_of_each(self.material.cases) if case.name not in busy]
        dead = [suspect for suspect in suspects if suspect.is_dead and suspect.how == VALUES][:TRIED_AGAIN]
        self.trial.each("cases that caught nothing", _groups(idle), lambda group: self.try_on(group, dead))

    def try_on(self, cases: Sequence[PreparedCase], suspects: Sequence[Suspect]) -> None:
        """The reference goes first: it compiles for all, and bits are compared with those that it gives there."""
        if not suspects or not cases:
            return
        reference = Version(self.trial.package.reference)
        versions = [reference, *(Version(suspect.change.source) for suspect in suspects)]
        calls = [Call(version, case) for version in versions for case in cases]
        outcomes = iter(call_all(self.trial, calls, self._seconds(cases)))
        asker = CustomChecker(self.trial.package, self.trial.pools.references, self.trial.abort)
        own = {case.name: next(outcomes).answer for case in cases}
        for suspect in suspects:
            for case in cases:
                outcome = next(outcomes)
                if own[case.name] is None:
                    continue
                suspect.distances[case.name] = distance_of(asker, case, outcome)
                suspect.same = suspect.same and outcome.answer == own[case.name]
                suspect.close = suspect.close and is_rounding(outcome.answer, own[case.name])

    def _seconds(self, cases: Sequence[PreparedCase]) -> float:
        """For each call: a few times what the slowest right solution needs, compiling included."""
        most = PATIENCE * self.trial.package.manifest.limits.wall_seconds
        known = [
            judged.attempt.outcomes[case.name].wall_seconds
            for judged in self.material.judged
            if judged.submission.verdict is Verdict.ACCEPTED
            for case in cases
            if case.name in judged.attempt.outcomes
        ]
        return min(SLACK * max(known) + SLACK_SECONDS, most) if known else most


def _in_order(cases: Sequence[PreparedCase]) -> tuple[PreparedCase, list[list[PreparedCase]]]:
    """One case of middling size, and the others in groups that share their shapes, small ones first."""
    by_size = sorted(cases, key=lambda case: (len(case.inputs), case.name))
    hidden = [case for case in by_size if case.visibility == "hidden"] or by_size
    first = hidden[(len(hidden) - 1) // 2]
    return first, _groups([case for case in by_size if case is not first])


def _groups(cases: Sequence[PreparedCase]) -> list[list[PreparedCase]]:
    groups = [list(group) for _, group in groupby(sorted(cases, key=_shapes), key=_shapes)]
    return sorted(groups, key=lambda group: len(group[0].inputs))


def _shapes(case: PreparedCase) -> str:
    return str([(path, getattr(leaf, "shape", ())) for path, leaf in leaves(decode(case.inputs))])
