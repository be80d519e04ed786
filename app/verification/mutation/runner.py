"""Run mutants on cases until one kills them, at low cost.

All mutants run on the case that the most known wrong solutions fail; the survivors run on the other cases, grouped by
shape. Many mutants share a process that has run the reference, so they reuse what JAX compiled for it. A mutant that
fails by little runs on, which measures how far off it is at worst.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf

from app.engine.batch import Call, Version
from app.engine.custom_checker import CustomChecker
from app.engine.prepare import PreparedCase
from app.engine.request import PATIENCE
from app.judging.checker import VALUES
from app.judging.leaf import leaves
from app.judging.verdicts import Verdict
from app.verification.distance import Distance, distances_of, is_rounding, is_same, relative_difference
from app.verification.mutation.mutants import Mutant
from app.verification.trial import AT_ONCE, Material, Trial, some_of_each
from sandbox.guest.codec import decode
from sandbox.interface import CaseOutcome

# A mutant that fails by fewer tolerances than this runs on the other cases too.
MILD = 10.0
# A case that killed no mutant gets this many of those that other cases killed.
TRIED_AGAIN = 4
# The limit of the wall time of a call. It ends mutants that hang in compiled code, and costs a new process;
# `batch_in_box.py` cuts off the others.
SLACK_SECONDS = 2.0
SLACK = 3.0
# How far a mutant may differ, as a multiple of what the last place of the inputs changes.
AMPLIFIED = 16.0


@dataclass(slots=True, eq=False)
class Candidate:
    """A mutant while it runs. `same`: all its answers equal the reference's; `close`: up to rounding."""

    change: Mutant
    distances: dict[str, Distance] = field(default_factory=dict)
    same: bool = True
    close: bool = True

    @property
    def killed_by(self) -> tuple[str, ...]:
        return tuple(case for case, distance in self.distances.items() if not distance.is_right)

    @property
    def how(self) -> str:
        """Return the category of its first wrong answer, or "" if all are right."""
        return next((distance.how for distance in self.distances.values() if not distance.is_right), "")

    @property
    def is_dead(self) -> bool:
        """Whether a wrong answer is far off, or differs in a way that has no distance."""
        wrong = [distance for distance in self.distances.values() if not distance.is_right]
        return any(distance.used is None or distance.used >= MILD for distance in wrong)


@dataclass(frozen=True, slots=True)
class MutantRunner:
    trial: Trial
    material: Material

    def run(self, candidates: Sequence[Candidate]) -> None:
        """Raises JudgeFailed, BoxLost, Aborted."""
        first, others = _in_order(some_of_each(self.material.cases), self._failures)
        share = -(-len(candidates) // AT_ONCE) or 1
        parts = [candidates[start : start + share] for start in range(0, len(candidates), share)]
        self.trial.each("mutants", parts, lambda part: self.try_on([first], part))
        left = "mutants that are left"
        self.trial.each(
            left, self._groups(others), lambda group: self.try_on(group, [s for s in candidates if not s.is_dead])
        )

    def try_idle(self, candidates: Sequence[Candidate]) -> None:
        """Run some killed mutants on cases that killed none, which may only have come late in the order."""
        busy = set(self._failures)
        busy.update(name for candidate in candidates for name in candidate.killed_by)
        idle = [case for case in some_of_each(self.material.cases) if case.name not in busy]
        dead = [candidate for candidate in candidates if candidate.is_dead and candidate.how == VALUES][:TRIED_AGAIN]
        self.trial.each("cases that caught nothing", self._groups(idle), lambda group: self.try_on(group, dead))

    def try_on(
        self, cases: Sequence[PreparedCase], candidates: Sequence[Candidate], nudged: Sequence[PreparedCase] = ()
    ) -> None:
        """Run the reference and then the mutants, and compare their answers with the reference's in this process.

        `nudged`: the same cases with inputs changed in the last place. Where that changes the reference's answer, the
        mutants may differ as much.
        """
        if not candidates or not cases:
            return
        reference = Version(self.trial.package.reference)
        pairs = [(case, nudged[index] if nudged else None) for index, case in enumerate(cases)]
        calls = [
            *(
                Call(reference, each, is_original=each is case)
                for case, other in pairs
                for each in (case, other)
                if each
            ),
            *(Call(Version(candidate.change.source), case) for candidate in candidates for case in cases),
        ]
        outcomes = iter(self.trial.batch.call_all(calls, self._seconds()))
        asker = CustomChecker(self.trial.package, self.trial.pools.boxes, self.trial.abort)
        own: dict[str, bytes | None] = {}
        rounding: dict[str, float] = {}
        for case, other in pairs:
            expected = own[case.name] = _answer_of(next(outcomes))
            changed = _answer_of(next(outcomes)) if other else expected
            if expected is not None:
                rounding[case.name] = inf if changed is None else AMPLIFIED * relative_difference(changed, expected)
        ran = [
            (candidate, case, outcome)
            for candidate in candidates
            for case in cases
            if (outcome := next(outcomes)) is not None and own[case.name] is not None
        ]
        distances = distances_of(asker, [(case, outcome) for _, case, outcome in ran])
        for (candidate, case, outcome), distance in zip(ran, distances, strict=True):
            candidate.distances[case.name] = distance
            self._compare(candidate, outcome.answer, own[case.name] or b"", rounding[case.name])

    def _compare(self, candidate: Candidate, answer: bytes | None, expected: bytes, rounding: float) -> None:
        """`rounding`: the relative difference that rounding explains, infinite where answers say nothing."""
        policy = self.trial.package.manifest.dtype_policy
        candidate.same = candidate.same and is_same(answer, expected, policy)
        candidate.close = candidate.close and (
            is_rounding(answer, expected, dtype_policy=policy)
            or rounding == inf
            or (answer is not None and relative_difference(answer, expected) <= rounding)
        )

    @property
    def _failures(self) -> Counter[str]:
        """Count the known submissions that fail each case."""
        return Counter(name for judged in self.material.judged for name in judged.attempt.failed)

    def _groups(self, cases: Sequence[PreparedCase]) -> list[list[PreparedCase]]:
        """Group cases by shape for JAX, which compiles anew for each: a mutant that is dead then runs on no other."""
        if "jax" not in self.trial.package.manifest.frameworks:
            return [list(cases)]
        groups = [list(group) for _, group in groupby(sorted(cases, key=_shapes), key=_shapes)]
        return sorted(groups, key=lambda group: len(group[0].inputs))

    def _seconds(self) -> float:
        """Return the limit of a call: a few times what the slowest accepted solution needs, with compilation."""
        most = PATIENCE * self.trial.package.manifest.limits.wall_seconds
        known = [
            outcome.wall_seconds
            for judged in self.material.judged
            if judged.submission.verdict is Verdict.ACCEPTED
            for outcome in judged.attempt.outcomes.values()
        ]
        return min(SLACK * max(known) + SLACK_SECONDS, most) if known else most


def _answer_of(outcome: CaseOutcome | None) -> bytes | None:
    return outcome.answer if outcome else None


def _in_order(cases: Sequence[PreparedCase], failures: Counter[str]) -> tuple[PreparedCase, list[PreparedCase]]:
    """Return the case with the most failures, the smallest of several, and the others, small ones first."""
    by_size = sorted(cases, key=lambda case: (len(case.inputs), case.name))
    first = max(by_size, key=lambda case: failures[case.name])
    return first, [case for case in by_size if case is not first]


def _shapes(case: PreparedCase) -> str:
    return str([(path, getattr(leaf, "shape", ())) for path, leaf in leaves(decode(case.inputs))])
