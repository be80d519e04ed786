"""`efficiency`: how a solution's time compares with the reference's, and how it grows with the size of the inputs.

Times come from `app.engine.timing`, which measures both on the same machine. Noise only adds time, so the least of
several runs counts on both sides. Each case is compared with the reference on the same case, and the case with the
largest ratio counts for its size: a solution may be slow on some inputs only.

Every number that the student sees is rounded to two digits: a program could encode hidden inputs in its time. The
verdict follows from the rounded numbers.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, Strict

from app.judging.options import Model, Number

# A right solution should use at most this share of the allowed ratio, and stay this far below the allowed exponent.
ROOM_RATIO = 0.5
ROOM_GROWTH = 0.2
# Further runs change nothing about a solution that is this many times slower than allowed.
HOPELESS = 3


class Efficiency(Model):
    """The limits on time, relative to the reference. `warm_up`: the first call for each size does not count."""

    max_time_ratio: Annotated[Number, Field(ge=2, le=1000)]
    max_growth: Annotated[Number, Field(gt=0, le=10)] | None = None
    warm_up: Annotated[bool, Strict()] = True

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules for students, as words that follow "your program must"."""
        return tuple(self._rules())

    def _rules(self) -> Iterator[str]:
        yield f"take at most {self.max_time_ratio:g} times the reference's time at the largest size"
        if self.max_growth is not None:
            yield f"take time that grows at most like n^{self.max_growth:g}"


class CaseTime(BaseModel):
    """The least times of one case, rounded to two digits."""

    model_config = ConfigDict(frozen=True)

    name: str = Field(description="the case")
    seconds: float = Field(description="the submission's least time")
    reference_seconds: float = Field(description="the reference's, in the same kind of box on the same machine")
    ratio: float = Field(description="the submission's time over the reference's")


class SizeTime(BaseModel):
    """The times at one size of the inputs: those of the case with the largest ratio to the reference's time."""

    model_config = ConfigDict(frozen=True)

    size: int = Field(description="the size of the inputs, as the author counts it")
    seconds: float = Field(description="the submission's least time for the case with the largest ratio")
    reference_seconds: float = Field(description="the reference's least time for the same case")
    cases: tuple[CaseTime, ...] = Field(
        default=(), description="all cases of this size, the largest ratio first; empty for old judgings"
    )

    @property
    def rows(self) -> tuple[CaseTime, ...]:
        """The times to show: those of all cases, or of one without a name for an old judging."""
        ratio = rounded(self.seconds / max(self.reference_seconds, 1e-9))
        unnamed = CaseTime(name="", seconds=self.seconds, reference_seconds=self.reference_seconds, ratio=ratio)
        return self.cases or (unnamed,)


class DeviceTime(BaseModel):
    """The least times of the programs at one size, on the device alone. The numbers are rounded to two digits."""

    model_config = ConfigDict(frozen=True)

    size: int = Field(description="the size of the inputs, as the author counts it")
    seconds: float = Field(description="of the submission's program")
    reference_seconds: float = Field(description="of the reference's program")
    bytes_per_second: float = Field(description="the size of the inputs and the answer over the submission's time")


class Throughput(BaseModel):
    """Times on the device alone, in order of size. `share` is at the largest size."""

    model_config = ConfigDict(frozen=True)

    card: str = Field(description="the name of the GPU")
    times: tuple[DeviceTime, ...]
    share: float | None = Field(description="the least time that the card allows over the submission's; null: unknown")

    @property
    def sentence(self) -> str:
        last = self.times[-1]
        told = f"{last.bytes_per_second / 1e9:,.4g} GB/s at n = {last.size:,} on {self.card}"
        return told if self.share is None else f"{told}: {100 * self.share:.0f} % of what the card allows"


class TimeComparison(BaseModel):
    """A submission's times beside the reference's, by size. The numbers are rounded to two digits."""

    model_config = ConfigDict(frozen=True)

    times: tuple[SizeTime, ...] = Field(description="in order of size")
    ratio: float = Field(description="the submission's time over the reference's, at the largest size")
    max_time_ratio: float = Field(description="the largest allowed ratio")
    growth: float | None = Field(description="the exponent e if the time grows like n^e; null with one size")
    reference_growth: float | None = Field(description="the reference's exponent")
    max_growth: float | None = Field(description="the largest allowed exponent; null if there is none")
    throughput: Throughput | None = Field(
        default=None, description="on a GPU, the times on the device alone; null without a program to time"
    )

    @property
    def allowed_growth(self) -> float | None:
        """The exponent that counts: the author's limit, or the reference's own exponent if that is larger."""
        if self.max_growth is None or self.reference_growth is None:
            return self.max_growth
        return max(self.max_growth, self.reference_growth)

    @property
    def is_fast(self) -> bool:
        return self.ratio <= self.max_time_ratio

    @property
    def slow_cases(self) -> tuple[str, ...]:
        """The cases of the largest size that take too long, or all of them if only the growth is too large."""
        cases = self.times[-1].cases
        return tuple(case.name for case in cases if self.is_fast or case.ratio > self.max_time_ratio)

    @property
    def grows_slowly(self) -> bool:
        allowed = self.allowed_growth
        return allowed is None or self.growth is None or self.growth <= allowed

    @property
    def is_met(self) -> bool:
        return self.is_fast and self.grows_slowly

    @property
    def has_room(self) -> bool:
        """Whether the times are so far below the limits that noise can't change the verdict."""
        is_fast = self.ratio <= ROOM_RATIO * self.max_time_ratio
        allowed = self.allowed_growth
        return is_fast and (allowed is None or self.growth is None or self.growth <= allowed - ROOM_GROWTH)

    @property
    def is_hopeless(self) -> bool:
        return self.ratio > HOPELESS * self.max_time_ratio

    @property
    def sentence(self) -> str:
        """Describe the unmet limits, or all limits if all are met."""
        limits = [(self.is_fast, self._ratio_text), (self.grows_slowly, self._growth_text)]
        unmet = [text for is_met, text in limits if not is_met]
        return "; ".join(text for text in (unmet or [text for _, text in limits]) if text)

    @property
    def _ratio_text(self) -> str:
        size, allowed = self.times[-1].size, f"{self.max_time_ratio:g}"
        return f"{two_digits(self.ratio)} times the reference's time at n = {size:,} (allowed: {allowed} times)"

    @property
    def _growth_text(self) -> str:
        if self.growth is None or self.max_growth is None:
            return ""
        return (
            f"the time grows like n^{two_digits(self.growth)} (allowed: n^{self.max_growth:g}; the reference's: "
            f"n^{two_digits(self.reference_growth or 0.0)})"
        )


@dataclass(frozen=True, slots=True)
class CasePair:
    """The least seconds of one case, unrounded: the submission's and the reference's."""

    name: str
    own: float
    reference: float

    @property
    def ratio(self) -> float:
        return self.own / max(self.reference, 1e-9)

    @property
    def rounded(self) -> CaseTime:
        return CaseTime(
            name=self.name,
            seconds=rounded(self.own),
            reference_seconds=rounded(self.reference),
            ratio=rounded(self.ratio),
        )


def compare_times(rule: Efficiency, measured: Mapping[int, Sequence[CasePair]]) -> TimeComparison:
    """Compare the least times of the cases of each size. There is at least one size, and each has a case."""
    sizes = {size: sorted(measured[size], key=lambda pair: pair.ratio, reverse=True) for size in sorted(measured)}
    slowest = {size: pairs[0] for size, pairs in sizes.items()}
    return TimeComparison(
        times=tuple(_size_time(size, pairs) for size, pairs in sizes.items()),
        ratio=rounded(slowest[max(slowest)].ratio),
        max_time_ratio=rule.max_time_ratio,
        growth=exponent({size: pair.own for size, pair in slowest.items()}),
        reference_growth=exponent({size: pair.reference for size, pair in slowest.items()}),
        max_growth=rule.max_growth,
    )


def _size_time(size: int, pairs: Sequence[CasePair]) -> SizeTime:
    first, cases = pairs[0].rounded, tuple(pair.rounded for pair in pairs)
    return SizeTime(size=size, seconds=first.seconds, reference_seconds=first.reference_seconds, cases=cases)


def exponent(seconds: Mapping[int, float]) -> float | None:
    """Return e of the best fit n^e: the slope of the line through the logarithms, by least squares."""
    if len(seconds) < 2:
        return None
    points = [(math.log(size), math.log(max(time, 1e-9))) for size, time in seconds.items()]
    across, up = fmean(x for x, _ in points), fmean(y for _, y in points)
    slope = sum((x - across) * (y - up) for x, y in points) / sum((x - across) ** 2 for x, _ in points)
    return round(slope, 1 if abs(slope) >= 1 else 2)


def two_digits(number: float) -> str:
    """Format a rounded number: `0.83`, `2.0`, `12`."""
    return f"{number:.1f}" if 1 <= abs(number) < 10 else f"{number:g}"


def rounded(number: float) -> float:
    return float(f"{number:.2g}")
