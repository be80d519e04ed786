"""The outcomes of a judging's cases, kept until the verdict for hints and for leaderboards."""

from dataclasses import dataclass, field, replace

from sandbox.interface import CaseOutcome

# Most bytes of one answer, and of all answers of one judging.
ANSWER_BYTES = 2**20
KEPT_BYTES = 4 * 2**20


@dataclass(slots=True)
class Outcomes:
    """By name of the case: `costs` are outcomes without answers, `answers` are those that are small enough."""

    costs: dict[str, CaseOutcome] = field(default_factory=dict)
    answers: dict[str, bytes] = field(default_factory=dict)
    room: int = KEPT_BYTES

    def add(self, outcome: CaseOutcome) -> None:
        self.costs[outcome.name] = replace(outcome, answer=None, text="")
        size = len(outcome.answer or b"")
        if outcome.answer is not None and size <= min(ANSWER_BYTES, self.room):
            self.answers[outcome.name] = outcome.answer
            self.room -= size
