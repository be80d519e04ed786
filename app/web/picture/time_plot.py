"""The curve of time by size of the inputs, a submission's beside the reference's, on logarithmic axes.

The lines go through the case with the largest ratio at each size. Every case has its own two dots.
"""

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from app.judging.efficiency import SizeTime, TimeComparison
from app.web.picture.line_plot import Scale
from app.web.picture.svg import drawing, element
from app.web.wording import short_seconds_text

WIDTH, HEIGHT = 460.0, 250.0
LEFT, RIGHT, TOP, BOTTOM = 74.0, 436.0, 14.0, 206.0
# Labels of sizes that are closer together than this would overlap.
LABEL_WIDTH = 84.0
MARGIN = 1.25
SHORTEST = 1e-7


def draw_time_plot(times: TimeComparison) -> Markup:
    all_seconds = [
        seconds for each in times.times for row in each.rows for seconds in (row.seconds, row.reference_seconds)
    ]
    own = [(each.size, each.seconds) for each in times.times]
    reference = [(each.size, each.reference_seconds) for each in times.times]
    allowed = [(size, seconds * times.max_time_ratio) for size, seconds in reference]
    across = _scale([size for size, _ in own], LEFT + 12, RIGHT - 12, 1.0)
    down = _scale([*all_seconds, *(seconds for _, seconds in allowed)], BOTTOM, TOP, MARGIN)
    kind = "yours inside" if times.is_met else "yours"
    label = f"Time by size of the inputs, yours beside the reference's. At the largest size: {times.sentence}"
    return drawing(
        WIDTH,
        HEIGHT,
        label,
        _grid(down),
        _line(allowed, across, down, "allowed"),
        _line(reference, across, down, "expected"),
        _line(own, across, down, kind),
        *(_dots(each, across, down, kind) for each in times.times),
        _sizes([each.size for each in times.times], across),
        element("text", "n, the size of the inputs", class_="name", x=RIGHT, y=HEIGHT - 6, text_anchor="end"),
    )


def _scale(values: Sequence[float], start: float, end: float, margin: float) -> Scale:
    """Return a scale of the logarithms. A single value lies in the middle."""
    low, high = math.log10(max(min(values), SHORTEST) / margin), math.log10(max(max(values), SHORTEST) * margin)
    room = 0.5 if high - low < 1e-9 else 0.0
    return Scale(low - room, high + room, start, end)


def _place(scale: Scale, value: float) -> float:
    return scale.place(math.log10(max(value, SHORTEST)))


def _line(points: Sequence[tuple[int, float]], across: Scale, down: Scale, name: str) -> Markup:
    steps = (f"{_place(across, size):.1f} {_place(down, seconds):.1f}" for size, seconds in points)
    path = "L".join(steps)
    return element("path", class_=name, d=f"M{path}") if path else Markup("")


def _dots(time: SizeTime, across: Scale, down: Scale, kind: str) -> Markup:
    """Draw a dot for the reference's time of each case, and one for the submission's."""
    x, size = _place(across, time.size), f"{time.size:,}"
    return Markup("").join(
        element("circle", element("title", text), class_=name, cx=x, cy=_place(down, seconds), r=4.0)
        for row in time.rows
        for name, who, seconds in (("expected", "reference", row.reference_seconds), (kind, "yours", row.seconds))
        for text in [f"{who}: {short_seconds_text(seconds)} at n = {size}" + (row.name and f", {row.name}")]
    )


def _grid(down: Scale) -> Markup:
    return Markup("").join(
        element("line", class_="grid", x1=LEFT, x2=RIGHT, y1=_place(down, mark), y2=_place(down, mark))
        + element("text", short_seconds_text(mark), x=LEFT - 8, y=_place(down, mark) + 4, text_anchor="end")
        for mark in _marks(down)
    )


def _marks(down: Scale) -> list[float]:
    """Return the powers of ten of the scale, or where there are few of them, also their doubles and fivefolds."""
    powers = range(math.floor(down.low), math.ceil(down.high) + 1)
    for steps in ((1,), (1, 3), (1, 2, 5)):
        marks = [step * 10.0**power for power in powers for step in steps]
        shown = [mark for mark in marks if down.low <= math.log10(mark) <= down.high]
        if len(shown) > 2:
            break
    return shown


def _sizes(sizes: Sequence[int], across: Scale) -> Markup:
    """Label the sizes, the largest first, as far as there is room."""
    return Markup("").join(
        element("text", f"{size:,}", x=x, y=BOTTOM + 20, text_anchor="middle") for size, x in _labels(sizes, across)
    )


def _labels(sizes: Sequence[int], across: Scale) -> Iterator[tuple[int, float]]:
    free = WIDTH + LABEL_WIDTH
    for size in reversed(sizes):
        x = _place(across, size)
        if free - x >= LABEL_WIDTH:
            free = x
            yield size, x
