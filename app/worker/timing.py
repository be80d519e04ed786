"""Measure how long a submission and the reference take, by size of the inputs, for the limits in `efficiency`.

Each round is one new process of the submission and then one of the reference, in boxes of the same kind on this
machine. The host's side of a box measures, outside both processes. A process gets each input once, so an answer that it
keeps helps no later call. Every answer is compared as usual: a program that only pretends to work while it is measured
is wrong. The least time of all rounds counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Event

from app.catalog.package import Package
from app.judging.efficiency import TimeComparison, compare_times
from app.judging.verdicts import CaseResult, Verdict
from app.worker.boxes import box_spec
from app.worker.case_verdict import check_again, check_calls, refuse
from app.worker.custom_checker import CustomChecker
from app.worker.overload import was_overloaded
from app.worker.prepare import PreparedCase, ReferenceFailed
from app.worker.recording import read_outcome, recorded
from app.worker.request import build_request, patient, place_of, reason_of
from app.worker.run import run_cases
from sandbox.interface import CaseInput, CaseOutcome, Ending
from sandbox.pool import Pool

LEAST_ROUNDS = 2
ROUNDS = 5

TOO_SLOW = "slower than allowed"
Least = dict[int, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """`cases`: by size, the smallest first. `right`: their accepted results. `students` and `references`: boxes."""

    source: str
    cases: Mapping[int, Sequence[PreparedCase]]
    right: Mapping[str, CaseResult]
    students: Pool
    references: Pool
    answer_bytes: int
    checker: CustomChecker
    abort: Event

    @property
    def package(self) -> Package:
        return self.checker.package

    def check(self, case: PreparedCase, outcome: CaseOutcome) -> CaseResult:
        """Raises JudgeFailed when the package's own checkers fail, BoxLost, Aborted."""
        own, calls = read_outcome(self.package.manifest, outcome)
        result = check_again(self.checker, case, self.right[case.name], own)
        return check_calls(self.package.manifest, self.source, case, result, calls)


@dataclass(slots=True)
class Timed:
    """The least times so far, by size. `wrong`: the first result that is not accepted, which ends the measurement."""

    own: Least = field(default_factory=dict)
    reference: Least = field(default_factory=dict)
    comparison: TimeComparison | None = None
    wrong: CaseResult | None = None
    was_overloaded: bool = False

    @property
    def is_met(self) -> bool:
        return self.wrong is None and self.comparison is not None and self.comparison.is_met

    def results(self, race: Race) -> list[CaseResult]:
        """Return the final results. Where the submission is too slow, the cases of the largest size tell so."""
        found = dict(race.right)
        if self.wrong is not None:
            found[self.wrong.name] = self.wrong
        elif self.comparison is not None and not self.comparison.is_met:
            for case in race.cases[max(race.cases)]:
                found[case.name] = refuse(found[case.name], TOO_SLOW, self.comparison.sentence)
        return list(found.values())


def time_cases(race: Race, before: Timed | None = None) -> Timed:
    """Measure until the result is clear, for at most ROUNDS rounds. `before`: times that still count.

    Raises JudgeFailed when the package's own code fails, BoxLost, Aborted.
    """
    rule = race.package.manifest.efficiency
    assert rule is not None, "the problem has no `efficiency`"
    timed = Timed(own=before.own, reference=before.reference) if before else Timed()

    def check(case: PreparedCase, outcome: CaseOutcome) -> None:
        result = race.check(case, outcome)
        if result.verdict is not Verdict.ACCEPTED and timed.wrong is None:
            timed.wrong = result

    def require(case: PreparedCase, outcome: CaseOutcome) -> None:
        if outcome.ending is not Ending.ANSWERED:
            place = f"{place_of(race.package, 'reference')}, case {case.name}, when it was timed"
            raise ReferenceFailed(f"{place}: {reason_of(outcome)}", part="reference", outcome=outcome)

    for number in range(ROUNDS):
        calls = _calls(race.cases, number, counts_first=not rule.warm_up)
        _run(race, race.source, race.students, calls, timed, timed.own, check)
        if timed.wrong is not None:
            timed.comparison = None
            break
        _run(race, race.package.reference, race.references, calls, timed, timed.reference, require)
        timed.comparison = compare_times(rule, timed.own, timed.reference)
        is_clear = timed.comparison.has_room or timed.comparison.is_hopeless
        if number + 1 >= LEAST_ROUNDS and is_clear:
            break
    return timed


@dataclass(frozen=True, slots=True)
class _Call:
    """`counts`: whether the call's time counts."""

    size: int
    case: PreparedCase
    counts: bool


def _calls(cases: Mapping[int, Sequence[PreparedCase]], number: int, *, counts_first: bool) -> list[_Call]:
    """Return the calls of a round. Another case of each size comes first in the next round."""
    calls = []
    for size, members in cases.items():
        first = number % len(members)
        for place, case in enumerate([*members[first:], *members[:first]]):
            calls.append(_Call(size, case, counts=(place == 0) is counts_first))
    return calls


def _run(
    race: Race,
    source: str,
    pool: Pool,
    calls: Sequence[_Call],
    timed: Timed,
    least: Least,
    check: Callable[[PreparedCase, CaseOutcome], None],
) -> None:
    """Make the calls in a new process, and note the least times."""
    manifest, waiting = race.package.manifest, {call.case.name: call for call in calls}
    inputs = [CaseInput(call.case.name, call.case.inputs) for call in calls]
    request = recorded(manifest, patient(build_request(race.package, source, inputs, race.answer_bytes)))

    def note(outcome: CaseOutcome) -> None:
        call = waiting[outcome.name]
        timed.was_overloaded = timed.was_overloaded or was_overloaded(outcome)
        if call.counts and outcome.ending is Ending.ANSWERED:
            least[call.size] = min(outcome.wall_seconds, least.get(call.size, outcome.wall_seconds))
        check(call.case, outcome)

    # A spare would save only the submission the time of some library calls.
    run_cases(pool, box_spec(manifest), replace(request, problem=""), note, race.abort)
