"""Line plots of vectors with their difference and tolerance, and number lines of single numbers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from app.web.picture.leaf_values import Values, apart, finite, pair_text, short
from app.web.picture.svg import drawing, element

LARGEST = 1e300  # larger numbers are drawn at the edge, so that differences stay finite

LEAST = 1e-300
DOTS = 40  # longer vectors have no dots
LEAST_LINE = 3  # shorter vectors are bars: a line through two points looks like a trend
PAIR_WIDTH = 26.0
EDGE = 16.0
THINNEST = 3.0


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from values to places: `low` is at `start`, `high` at `end`."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def scale_for(values: Sequence[float], start: float, end: float, margin: float = 0.08) -> Scale:
    """Return a scale for all finite `values`, with a margin. A single value gets some width."""
    low, high = (min(max(value, -LARGEST), LARGEST) for value in (min(values, default=0.0), max(values, default=0.0)))
    room = max((high - low) * margin or abs(high) * 0.1 or 1.0, LEAST)
    return Scale(low - room, high + room, start, end)


def ticks(scale: Scale, count: int = 4) -> list[float]:
    """Return about `count` round numbers within the scale."""
    step = 10.0 ** math.floor(math.log10((scale.high - scale.low) / count))
    step *= next((many for many in (1, 2, 5) if (scale.high - scale.low) / (step * many) <= count), 10)
    first = math.ceil(scale.low / step)
    return [number * step for number in range(first, first + 4 * count) if number * step <= scale.high]


WIDTH, HEIGHT = 460.0, 236.0
LEFT, RIGHT = 62.0, 448.0
TOP, MIDDLE = (10.0, 130.0), (152.0, 212.0)


def draw_line_plot(values: Values) -> Markup:
    count = len(values.expected)
    across = Scale(0.0, float(max(count - 1, 1)), LEFT + 8, RIGHT - 8)
    if count < LEAST_LINE:
        across = Scale(-0.5, count - 0.5, LEFT + 8, RIGHT - 8)
    return drawing(
        WIDTH,
        HEIGHT,
        _label(count) + values.worst_text,
        _worst(values, across),
        _lines(values, across) if count >= LEAST_LINE else _pairs(values, across),
        _differences(values, across),
    )


def _label(count: int) -> str:
    if count < LEAST_LINE:
        return f"Bars of {count} numbers, yours beside the expected"
    return f"Line plot of {count} numbers, yours beside the expected"


def _pairs(values: Values, across: Scale) -> Markup:
    """Draw each number as a bar from zero, yours on the right of the expected one."""
    down = scale_for(finite([0.0, *values.expected, *values.answer]), TOP[1], TOP[0])
    drawn = [_axis(down)]
    for at, (answer, expected) in enumerate(zip(values.answer, values.expected, strict=True)):
        words = element("title", f"{values.index_text(at)}: {pair_text(answer, expected)}")
        for number, name, side in ((expected, "expected", -1), (answer, "yours", 0)):
            x = across.place(at) + side * PAIR_WIDTH
            if not math.isfinite(number):
                name, place = f"{name} name", {"x": x + PAIR_WIDTH / 2, "y": down.place(0.0) - 4}
                drawn.append(element("text", short(number), class_=name, text_anchor="middle", **place))
                continue
            ends = sorted((down.place(0.0), down.place(number)))
            height = max(ends[1] - ends[0], 1.0)
            drawn.append(element("rect", words, class_=name, x=x, y=ends[0], width=PAIR_WIDTH - 2, height=height))
    return Markup("").join(drawn)


def _lines(values: Values, across: Scale) -> Markup:
    down = scale_for(finite([*values.expected, *values.answer]), TOP[1], TOP[0])
    drawn = [_axis(down), _line(values.expected, across, down, "expected"), _line(values.answer, across, down, "yours")]
    if len(values.answer) <= DOTS:
        drawn += [
            element(
                "circle",
                element("title", f"{values.index_text(at)}: {pair_text(number, values.expected[at])}"),
                class_="yours",
                cx=across.place(at),
                cy=down.place(number),
                r=3.0,
            )
            for at, number in enumerate(values.answer)
            if math.isfinite(number)
        ]
    return Markup("").join(drawn)


def _line(numbers: Sequence[float], across: Scale, down: Scale, name: str) -> Markup:
    """Draw a line, interrupted at NaN and inf."""
    steps, is_broken = [], True
    for at, number in enumerate(numbers):
        if math.isfinite(number):
            steps.append(f"{'M' if is_broken else 'L'}{across.place(at):.1f} {down.place(number):.1f}")
        is_broken = not math.isfinite(number)
    return element("path", class_=name, d="".join(steps))


def _differences(values: Values, across: Scale) -> Markup:
    pairs = zip(values.answer, values.expected, strict=True)
    differences = [answer - expected for answer, expected in pairs]
    known = finite(differences)
    widest = max([abs(number) for number in known] + values.allowed, default=0.0)
    down = scale_for([-widest, widest], MIDDLE[1], MIDDLE[0])
    band = [*enumerate(values.allowed), *((at, -size) for at, size in reversed([*enumerate(values.allowed)]))]
    outline = "L".join(f"{across.place(at):.1f} {down.place(size):.1f}" for at, size in band)
    return (
        _axis(down, [0.0])
        + element("path", class_="band", d=f"M{outline}Z")
        + Markup("").join(_bar(at, number, values, across, down) for at, number in enumerate(differences))
        + element("text", "difference", class_="name", x=LEFT + 16, y=MIDDLE[0] - 4)
        + _index_words(values, across)
    )


def _bar(at: int, number: float, values: Values, across: Scale, down: Scale) -> Markup:
    if not math.isfinite(number):
        words = element("title", f"{values.index_text(at)}: yours {short(values.answer[at])}")
        return element("text", words, "×", class_="outside", x=across.place(at), y=MIDDLE[1], text_anchor="middle")
    kind = "outside" if abs(number) > values.allowed[at] else "inside"
    x = across.place(at)
    return element("line", class_=f"bar {kind}", x1=x, x2=x, y1=down.place(0.0), y2=down.place(number))


def _worst(values: Values, across: Scale) -> Markup:
    at = values.worst_position
    if at is None:
        return Markup("")
    return element("line", class_="worst", x1=across.place(at), x2=across.place(at), y1=TOP[0], y2=MIDDLE[1])


def _index_words(values: Values, across: Scale) -> Markup:
    """Label the first, last and worst index."""
    last = len(values.expected) - 1
    worst = values.worst_position
    edges = {0: "start", last: "end"} if last + 1 >= LEAST_LINE else dict.fromkeys(range(last + 1), "middle")
    shown = edges | ({worst: "middle"} if worst is not None and last * 0.1 < worst < last * 0.9 else {})
    return Markup("").join(
        element("text", values.index_text(at), class_="name", x=across.place(at), y=HEIGHT - 8, text_anchor=anchor)
        for at, anchor in shown.items()
    )


def _axis(down: Scale, marks: Sequence[float] | None = None) -> Markup:
    return Markup("").join(
        element("line", class_="grid", x1=LEFT, x2=RIGHT, y1=down.place(mark), y2=down.place(mark))
        + element("text", short(mark), class_="name", x=LEFT - 8, y=down.place(mark) + 4, text_anchor="end")
        for mark in (ticks(down) if marks is None else marks)
    )


NUMBER_LINE_WIDTH, NUMBER_LINE_HEIGHT, AXIS = 420.0, 84.0, 42.0


def draw_number_line(answer: float, expected: float, allowed: float) -> Markup:
    """Draw finite numbers on a number line."""
    scale = scale_for([answer, expected - allowed, expected + allowed], EDGE, NUMBER_LINE_WIDTH - EDGE, margin=0.15)
    yours, right = apart(answer, expected)
    label = f"Number line: expected {right}, yours {yours}, allowed difference {short(allowed)}"
    return drawing(
        NUMBER_LINE_WIDTH,
        NUMBER_LINE_HEIGHT,
        label,
        _band(scale, expected, allowed),
        element("line", class_="axis", x1=EDGE / 2, x2=NUMBER_LINE_WIDTH - EDGE / 2, y1=AXIS, y2=AXIS),
        _mark(scale.place(expected), "expected", right, -1),
        _mark(scale.place(answer), "yours", yours, 1, "" if abs(answer - expected) > allowed else " inside"),
    )


def _band(scale: Scale, expected: float, allowed: float) -> Markup:
    left, right = scale.place(expected - allowed), scale.place(expected + allowed)
    width = max(right - left, THINNEST)
    return element("rect", class_="band", x=(left + right - width) / 2, width=width, y=AXIS - 12, height=24.0)


def _mark(x: float, name: str, number: str, side: int, kind: str = "") -> Markup:
    """Draw the expected number above the axis and the other below, so that labels never overlap."""
    anchor = "start" if x < NUMBER_LINE_WIDTH * 0.2 else "end" if x > NUMBER_LINE_WIDTH * 0.8 else "middle"
    words = element("text", f"{name} {number}", class_=name + kind, x=x, y=AXIS + side * 26 + 4, text_anchor=anchor)
    return element("line", class_=name + kind, x1=x, x2=x, y1=AXIS, y2=AXIS + side * 16) + words
