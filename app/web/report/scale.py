"""A logarithmic axis: where a value stands, and which powers of ten are marked."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10

# Beyond these nothing is told apart.
LARGEST = 1e15
SMALLEST = 1e-15
# So far apart, in pixels, that the labels of two marks don't touch.
MARK_WIDTH = 44.0


@dataclass(frozen=True, slots=True)
class Mark:
    x: float
    exponent: int

    @property
    def label(self) -> str:
        """`0.01`, `1`, `100`; further out as a power, whose exponent a template raises."""
        return f"{10.0**self.exponent:g}" if -3 <= self.exponent <= 4 else ""


@dataclass(frozen=True, slots=True)
class Scale:
    """From `start` to `end` in pixels; `low` and `high` are exponents of ten. A value of 0 stands left of the axis."""

    start: float
    end: float
    low: int
    high: int

    def x(self, value: float) -> float:
        exponent = log10(value) if 0 < value < inf else self.high if value > 0 else self.low
        share = (exponent - self.low) / (self.high - self.low)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 1)

    def marks(self) -> list[Mark]:
        count = self.high - self.low
        step = max(1, ceil(count * MARK_WIDTH / (self.end - self.start)))
        # 1 is the tolerance, and always marked.
        exponents = [exponent for exponent in range(self.low, self.high + 1) if exponent % step == 0]
        return [Mark(self.x(10.0**exponent), exponent) for exponent in exponents]


def scale_for(values: Iterable[float], start: float, end: float) -> Scale:
    """Holds all finite values above 0, and 1, with some room."""
    known = [min(max(value, SMALLEST), LARGEST) for value in (*values, 1.0) if isfinite(value) and value > 0]
    low, high = floor(log10(min(known)) - 0.15), ceil(log10(max(known)) + 0.15)
    return Scale(start, end, min(low, -1), max(high, 1))
