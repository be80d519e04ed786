"""What comes to the simulation: problems with their measured times, arrivals over time, and their distributions."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Protocol


class Distribution(Protocol):
    def draw(self, chance: random.Random) -> float: ...


@dataclass(frozen=True, slots=True)
class Spread:
    """A distribution through measured quantiles, linear between them. `points`: (share, value), from share 0 to 1."""

    points: Sequence[tuple[float, float]]

    def draw(self, chance: random.Random) -> float:
        share = chance.random()
        for (low, least), (high, most) in zip(self.points, self.points[1:], strict=False):
            if share <= high:
                return least + (most - least) * (share - low) / (high - low)
        return self.points[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem, its share of the sessions, and seconds measured on an idle machine.

    `launch`: to start a box of its kind. `with_spare`, `in_warm_box`: in the slot, with and without a spare. `cores`:
    how many a run keeps busy. `refill_seconds`: of one core, to make its spares again.
    """

    slug: str
    box: str
    weight: float
    launch: Distribution
    with_spare: Distribution
    in_warm_box: Distribution
    cores: float = 1.0
    refill_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate of arrivals over time, linear between `points`: (second, arrivals per second)."""

    points: Sequence[tuple[float, float]]

    @property
    def end(self) -> float:
        return self.points[-1][0]

    def at(self, second: float) -> float:
        for (start, low), (end, high) in zip(self.points, self.points[1:], strict=False):
            if second <= end:
                return low + (high - low) * (second - start) / (end - start)
        return 0.0

    def arrivals(self, chance: random.Random) -> Generator[float]:
        """Yield the moments of a Poisson process with this rate, by thinning."""
        highest = max(rate for _, rate in self.points)
        second = 0.0
        while (second := second + chance.expovariate(highest)) < self.end:
            if chance.random() * highest <= self.at(second):
                yield second
