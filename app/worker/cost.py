"""What the cases of a run took."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from sandbox.interface import CaseOutcome, Ending


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Of all calls: the sum of their times, and the most memory."""

    wall_seconds: float
    memory_bytes: int


@dataclass(slots=True)
class Costs:
    """What each case took, as it comes in."""

    outcomes: dict[str, CaseOutcome] = field(default_factory=dict)

    def take(self, outcome: CaseOutcome) -> None:
        self.outcomes[outcome.name] = replace(outcome, answer=None, text="")  # together they could be very large

    def of(self, cases: Collection[str]) -> Cost | None:
        """None where not all of them were answered, or there are none."""
        found = [self.outcomes[name] for name in cases if name in self.outcomes]
        if not found or len(found) < len(cases) or any(each.ending is not Ending.ANSWERED for each in found):
            return None
        return Cost(
            wall_seconds=sum(each.wall_seconds for each in found),
            memory_bytes=max(each.memory_bytes for each in found),
        )


def each_of(*takers: Callable[[CaseOutcome], None]) -> Callable[[CaseOutcome], None]:
    def take(outcome: CaseOutcome) -> None:
        for taker in takers:
            taker(outcome)

    return take
