"""From values to places."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

LARGEST = 1e300  # what is further out is drawn at the edge, so that differences stay finite

LEAST = 1e-300


@dataclass(frozen=True, slots=True)
class Scale:
    """`low` stands at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def scale_for(values: Sequence[float], start: float, end: float, margin: float = 0.08) -> Scale:
    """All finite `values`, with a margin, and some width around a single one."""
    low, high = (min(max(value, -LARGEST), LARGEST) for value in (min(values, default=0.0), max(values, default=0.0)))
    room = max((high - low) * margin or abs(high) * 0.1 or 1.0, LEAST)
    return Scale(low - room, high + room, start, end)


def ticks(scale: Scale, count: int = 4) -> list[float]:
    """About `count` round numbers within the scale."""
    step = 10.0 ** math.floor(math.log10((scale.high - scale.low) / count))
    step *= next((many for many in (1, 2, 5) if (scale.high - scale.low) / (step * many) <= count), 10)
    first = math.ceil(scale.low / step)
    return [number * step for number in range(first, first + 4 * count) if number * step <= scale.high]
