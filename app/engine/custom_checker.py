"""Run a package's own `checker.py` on an answer, in a box from the references' pool.

Those boxes hold no submission. They have no GPU, because the student's run may hold it. `find_fault` verifies that a
package's checkers accept its reference's answers, before they judge submissions.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from threading import Event
from typing import TypeAlias

from app.catalog.package import Package
from app.engine.request import WIDER, PackageFailed, limits_of, patient, place_of, reason_of, rules_of, run_cases
from app.errors import JudgeFailed
from app.judging.checker import Ask, no_checker_box
from app.judging.comparison import Rules, compare, find_pattern
from app.judging.leaf import StructureDiffers, aligned, leaves, pair_leaves, path_text
from sandbox.guest.codec import Malformed, TooLarge, Tree, decode, encode
from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Ending, Parameter, Request
from sandbox.pool import Pool

PARAMETERS = ("inputs", "expected", "answer")
ANSWER_BYTES = 64 * 1024
# Questions that share a process.
MOST_AT_ONCE = 64
TOO_LARGE = "it is too large to be checked; return fewer or shorter values"
# A case's name, and its inputs, expected output and answer, all encoded.
Question: TypeAlias = tuple[str, bytes, bytes, bytes]


class CheckerFailed(PackageFailed):
    """The package's checker.py gave no verdict."""


@dataclass(frozen=True, slots=True)
class CustomChecker:
    package: Package
    references: Pool | None
    abort: Event

    def about(self, case: str, inputs: bytes, expected: bytes, answer: bytes) -> Ask:
        """Return a function that runs the checker once and caches its verdict. All arguments are encoded.

        The function raises CheckerFailed, BoxLost, Aborted.
        """

        references = self.references
        if references is None:
            return no_checker_box

        @cache
        def ask() -> Tree:
            try:
                asked = self._case(case, (inputs, expected, answer))
            except CheckerFailed:
                if len(answer) <= WIDER * len(expected):
                    raise
                return TOO_LARGE
            (outcome,) = self._run(references, [asked])
            return self._verdict(outcome)

        return ask

    def about_all(self, questions: Sequence[Question]) -> list[Ask]:
        """Like `about` for each, in few processes: the first function that is called asks for a whole group.

        A question that fails there is asked again by itself, so no other question can be the cause.
        """
        references = self.references
        if references is None:
            return [no_checker_box for _ in questions]
        asks: list[Ask] = []
        for start in range(0, len(questions), MOST_AT_ONCE):
            group = questions[start : start + MOST_AT_ONCE]
            together: Callable[[], Mapping[int, Tree]] = cache(partial(self._run_together, references, group))
            asks += [partial(self._ask_group, together, number, question) for number, question in enumerate(group)]
        return asks

    def _ask_group(self, together: Callable[[], Mapping[int, Tree]], number: int, question: Question) -> object:
        found = together()
        return found[number] if number in found else self.about(*question)()

    def _run_together(self, references: Pool, group: Sequence[Question]) -> Mapping[int, Tree]:
        """Return the verdicts of those questions that got one. Answers of another structure are not asked about."""
        cases: list[CaseInput] = []
        for number, (_, *values) in enumerate(group):
            with suppress(CheckerFailed, Malformed):  # too large, or no answer
                if not isinstance(pair_leaves(decode(values[2]), decode(values[1])), StructureDiffers):
                    cases.append(self._case(str(number), tuple(values)))
        outcomes = self._run(references, cases) if cases else []
        answered = (outcome for outcome in outcomes if outcome.ending is Ending.ANSWERED)
        return {int(outcome.name): decode(outcome.answer or b"") for outcome in answered}

    def _case(self, name: str, values: tuple[bytes, ...]) -> CaseInput:
        try:
            inputs, expected, answer = map(decode, values)
            trees = (inputs, expected, aligned(answer, expected))
            return CaseInput(name, encode(dict(zip(PARAMETERS, trees, strict=True))))
        except TooLarge as error:
            place = place_of(self.package, "property")
            reason = f"{place}, case {name}: inputs, expected and answer together hold {error}"
            raise CheckerFailed(reason, remedy="make the case smaller", part="property") from None

    def _run(self, references: Pool, cases: Sequence[CaseInput]) -> list[CaseOutcome]:
        manifest, outcomes = self.package.manifest, list[CaseOutcome]()
        request = Request(
            source=self.package.checker or "",
            entry_point="check",
            driver=None,
            parameters=tuple(Parameter(name, "value") for name in PARAMETERS),
            cases=tuple(cases),
            limits=replace(limits_of(manifest), answer_bytes=ANSWER_BYTES),
        )
        spec = BoxSpec(tuple(sorted(manifest.frameworks)))
        run_cases(references, spec, patient(request), outcomes.append, self.abort)
        return outcomes

    def _verdict(self, outcome: CaseOutcome) -> Tree:
        if outcome.ending is not Ending.ANSWERED:
            reason = f"{place_of(self.package, 'property')}, case {outcome.name}: {reason_of(outcome)}"
            raise CheckerFailed(reason, part="property", outcome=outcome)
        return decode(outcome.answer or b"")


def find_fault(
    custom_checker: CustomChecker, cases: Sequence[CaseInput], answers: Mapping[str, bytes]
) -> PackageFailed | None:
    """Return why the package's checkers can't judge the reference's own answers, or None if they can.

    `answers` maps cases to the reference's encoded answers. Raises BoxLost, Aborted.
    """
    rules = rules_of(custom_checker.package.manifest)
    if not rules.checkers:
        return None
    faults = (_fault_in(custom_checker, rules, case, answers[case.name]) for case in cases)
    return next(filter(None, faults), None) or _idle_pattern(rules, answers)


def _fault_in(custom_checker: CustomChecker, rules: Rules, case: CaseInput, answer: bytes) -> PackageFailed | None:
    ask = custom_checker.about(case.name, case.inputs, answer, answer)
    try:
        comparison = compare(decode(answer), decode(answer), rules, ask)
    except PackageFailed as failed:
        reason = f"case {case.name}: {failed.reason}"
        return PackageFailed(reason, remedy=failed.remedy, part=failed.part, outcome=failed.outcome)
    except JudgeFailed as unfit:
        return PackageFailed(f"case {case.name}: {unfit}")
    if comparison.accepted:
        return None
    reason = f"case {case.name}: the reference's own answer is refused: {comparison.message}"
    return PackageFailed(reason, remedy="change the checker or its options so that it accepts the reference's answer")


def _idle_pattern(rules: Rules, answers: Mapping[str, bytes]) -> PackageFailed | None:
    paths = {path_text(path) for answer in answers.values() for path, _ in leaves(rules.view(decode(answer)))}
    used = {find_pattern(path, rules.checkers) for path in paths}
    idle = next((pattern for pattern in rules.checkers if pattern not in used), None)
    if idle is None:
        return None
    known = ", ".join(sorted(paths - {""})) or 'only "", which "*" fits'
    reason = f"the pattern {idle} matches no leaf of any case; the leaves are {known}"
    return PackageFailed(reason, remedy="correct the pattern, or remove it")
