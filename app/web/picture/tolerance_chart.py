"""The chart of right and wrong answers against the tolerance: strips of dots on a logarithmic axis."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, inf, isfinite, log10, sqrt

from app.catalog.verification_section import CalibratedLeaf, Measured, share_text, used_text
from app.judging.options import Margin

# Values beyond these are drawn at the edge.
LARGEST = 1e15
SMALLEST = 1e-15
# The distance of marks, in pixels, at which their labels don't touch.
MARK_WIDTH = 44.0
MARGIN = 14.0
ZERO_ROOM = 34.0
TOP = 50.0
DOT = 9.0
LABEL_ROOM = 24.0
LANE_GAP = 14.0
MOST_IN_A_PILE = 12
LETTER = 6.3
# The distance of labels from the tolerance's line.
BESIDE = 6.0


@dataclass(frozen=True, slots=True)
class Mark:
    x: float
    exponent: int

    @property
    def label(self) -> str:
        """The label `0.01`, `1` or `100`, or an empty text for a power that the template writes."""
        return f"{10.0**self.exponent:g}" if -3 <= self.exponent <= 4 else ""


@dataclass(frozen=True, slots=True)
class Scale:
    """A logarithmic scale from `start` to `end` in pixels. `low` and `high` are exponents of ten."""

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
        # 1 is the tolerance and always has a mark.
        exponents = [exponent for exponent in range(self.low, self.high + 1) if exponent % step == 0]
        return [Mark(self.x(10.0**exponent), exponent) for exponent in exponents]


def scale_for(values: Iterable[float], start: float, end: float) -> Scale:
    """Return a scale for 1 and all finite positive values, with a margin."""
    known = [min(max(value, SMALLEST), LARGEST) for value in (*values, 1.0) if isfinite(value) and value > 0]
    low, high = floor(log10(min(known)) - 0.15), ceil(log10(max(known)) + 0.15)
    return Scale(start, end, min(low, -1), max(high, 1))


WIDE, SMALL = 760.0, 340.0


@dataclass(frozen=True, slots=True)
class Dot:
    x: float
    y: float
    kind: str
    title: str


@dataclass(frozen=True, slots=True)
class Label:
    """A label. `anchor` is start, middle or end and keeps it inside the picture."""

    x: float
    y: float
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class Lane:
    """A strip of dots. `bottom` is its baseline."""

    name: str
    bottom: float
    dots: tuple[Dot, ...]
    label: Label | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToleranceChart:
    width: float
    height: float
    scale: Scale
    lanes: tuple[Lane, ...]
    limit: Label
    suggestion: Label | None
    suggestion_x: float
    gap: tuple[float, float] | None
    has_zero: bool
    zero_x: float
    description: str

    @property
    def axis_y(self) -> float:
        return self.height - 34.0


def draw_tolerance(leaf: CalibratedLeaf, width: float) -> ToleranceChart:
    measured = (*leaf.noise, *leaf.signal)
    has_zero = any(each.value == 0 for each in measured)
    start = MARGIN + (ZERO_ROOM if has_zero else 0.0)
    scale = scale_for((each.value for each in measured), start, width - MARGIN)
    right = _lane("right answers", leaf.noise, scale, TOP, worst=leaf.noise[0] if leaf.noise else None)
    wrong = _lane(
        "wrong answers", leaf.signal, scale, right.bottom + LANE_GAP, worst=leaf.signal[0] if leaf.signal else None
    )
    return ToleranceChart(
        width=width,
        height=wrong.bottom + 42.0,
        scale=scale,
        lanes=(right, wrong),
        limit=_inside(scale.x(1.0), 14.0, "tolerance", scale),
        suggestion=_suggestion(leaf, scale),
        suggestion_x=scale.x(_ratio(leaf)),
        gap=_gap(leaf, scale),
        has_zero=has_zero,
        zero_x=MARGIN + 6.0,
        description=_describe(leaf),
    )


def _lane(name: str, measured: Sequence[Measured], scale: Scale, top: float, worst: Measured | None) -> Lane:
    piles: dict[int, list[Measured]] = defaultdict(list)
    for each in measured:
        piles[round(_x(each, scale) / DOT)].append(each)
    tallest = min(max(map(len, piles.values()), default=1), MOST_IN_A_PILE)
    bottom = top + LABEL_ROOM + tallest * DOT
    dots = tuple(
        Dot(_x(each, scale), round(bottom - DOT * (min(place, MOST_IN_A_PILE - 1) + 0.5), 1), each.kind, title_of(each))
        for pile in piles.values()
        for place, each in enumerate(pile)
    )
    label = None
    if worst is not None:
        label = _inside(_x(worst, scale), top + 12.0, f"{worst.label}: {share_text(worst.value)}", scale)
        label = _beside_limit(label, scale)
    return Lane(name, bottom, dots, label)


def _x(measured: Measured, scale: Scale) -> float:
    return scale.x(measured.value) if measured.value > 0 else MARGIN + 6.0


def _inside(x: float, y: float, text: str, scale: Scale) -> Label:
    half = len(text) * LETTER / 2
    right, left = scale.end + MARGIN, 0.0
    if x + half > right:
        return Label(max(x, min(right, 2 * half)), y, "end", text)
    if x - half < left:
        return Label(x, y, "start", text)
    return Label(x, y, "middle", text)


def _beside_limit(label: Label, scale: Scale) -> Label:
    """Move a label that crosses the tolerance's line to its own side, or to the other without room."""
    limit, width = scale.x(1.0), len(label.text) * LETTER
    left = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    if not left - BESIDE < limit < left + width + BESIDE:
        return label
    has_room = limit - BESIDE - width >= 0, limit + BESIDE + width <= scale.end + MARGIN
    is_left = has_room[0] and (label.x <= limit or not has_room[1])
    x, anchor = (limit - BESIDE, "end") if is_left else (limit + BESIDE, "start")
    return Label(x, label.y, anchor, label.text) if any(has_room) else label


def _suggestion(leaf: CalibratedLeaf, scale: Scale) -> Label | None:
    """Return the suggestion's label on a separate line below the tolerance's label."""
    if leaf.suggestion is None or leaf.tolerance is None:
        return None
    label = _inside(scale.x(_ratio(leaf)), 32.0, f"suggested: {margin_text(leaf.suggestion)}", scale)
    return _beside_limit(label, scale)


def _ratio(leaf: CalibratedLeaf) -> float:
    """Return the ratio of the suggestion to the tolerance, or 1 without a suggestion."""
    new, old = leaf.suggestion, leaf.tolerance
    if new is None or old is None:
        return 1.0
    ratios = [n / o for n, o in ((new.rtol, old.rtol), (new.atol, old.atol)) if n > 0 and o > 0]
    return sqrt(ratios[0] * ratios[-1]) if ratios else 1.0


def _gap(leaf: CalibratedLeaf, scale: Scale) -> tuple[float, float] | None:
    noise, signal = leaf.largest_noise, leaf.smallest_signal
    if noise is None or signal is None or noise >= signal:
        return None
    return (scale.x(noise) if noise > 0 else scale.start, scale.x(signal))


def margin_text(margin: Margin) -> str:
    return f"rtol {margin.rtol:g}, atol {margin.atol:g}"


def title_of(measured: Measured) -> str:
    error = "" if measured.absolute is None else f", off by {measured.absolute:.3g}"
    return f"{measured.label}: {used_text(measured.value)} in {measured.case}{error}"


def _describe(leaf: CalibratedLeaf) -> str:
    noise, signal = leaf.largest_noise, leaf.smallest_signal
    right = "no right answers" if noise is None else f"right answers use at most {used_text(noise)}"
    wrong = "no wrong answers" if signal is None else f"wrong ones at least {share_text(signal)}"
    return f"{right}, {wrong}"
