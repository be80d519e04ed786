"""Asking a package's own `checker.py` about an answer: in a box of its own kind, never the student's, never in here.

The box comes from the pool of references, whose boxes hold no submission, and has no GPU: the student's run may have
it.
"""

from dataclasses import dataclass, replace
from functools import cache
from threading import Event

from app.catalog.package import Package
from app.errors import JudgeFailed
from app.judging.checker import Ask, nobody_to_ask
from app.worker.own_code import place_of, reason_of
from app.worker.request import limits_of, patient
from app.worker.run import run_cases
from sandbox.guest.codec import TooLarge, Tree, decode, encode
from sandbox.interface import BoxSpec, CaseInput, CaseOutcome, Ending, Parameter, Request
from sandbox.pool import Pool

PARAMETERS = ("inputs", "expected", "answer")
ANSWER_BYTES = 64 * 1024


class CheckerFailed(JudgeFailed):
    """The package's checker.py gave no verdict: its author's fault, never the student's."""


@dataclass(frozen=True, slots=True)
class Asker:
    package: Package
    references: Pool | None
    abort: Event

    def about(self, case: str, inputs: bytes, expected: bytes, answer: bytes) -> Ask:
        """All encoded. What is asked more than once is run once. Raises CheckerFailed, BoxLost, Aborted."""

        references = self.references
        if references is None:
            return nobody_to_ask

        @cache
        def ask() -> Tree:
            return self._run(references, self._case(case, (inputs, expected, answer)))

        return ask

    def _case(self, name: str, values: tuple[bytes, ...]) -> CaseInput:
        try:
            return CaseInput(name, encode(dict(zip(PARAMETERS, map(decode, values), strict=True))))
        except TooLarge as error:
            place = place_of(self.package, "property")
            message = f"{place}, case {name}: inputs, expected and answer together hold {error}; make the case smaller"
            raise CheckerFailed(message) from None

    def _run(self, references: Pool, case: CaseInput) -> Tree:
        request = Request(
            source=self.package.checker or "",
            entry_point="check",
            driver=None,
            parameters=tuple(Parameter(name, "value") for name in PARAMETERS),
            cases=(case,),
            limits=replace(limits_of(self.package.manifest), answer_bytes=ANSWER_BYTES),
        )
        spec = BoxSpec(tuple(sorted(self.package.manifest.frameworks)))
        outcomes: list[CaseOutcome] = []
        run_cases(references, spec, patient(request), outcomes.append, self.abort)
        (outcome,) = outcomes
        if outcome.ending is not Ending.ANSWERED:
            raise CheckerFailed(f"{place_of(self.package, 'property')}, case {case.name}: {reason_of(outcome)}")
        return decode(outcome.answer or b"")
