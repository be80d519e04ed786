"""One number: where it is, where it should be, and the tolerance around that."""

from markupsafe import Markup

from app.web.messages import gettext as _
from app.web.picture.numbers import apart, short
from app.web.picture.scale import Scale, scale_for
from app.web.picture.svg import drawing, element

WIDTH, HEIGHT, AXIS = 420.0, 84.0, 42.0
EDGE = 16.0
THINNEST = 3.0


def draw_number_line(answer: float, expected: float, allowed: float) -> Markup:
    """All finite."""
    scale = scale_for([answer, expected - allowed, expected + allowed], EDGE, WIDTH - EDGE, margin=0.15)
    yours, right = apart(answer, expected)
    label = _("Number line: expected %(expected)s, yours %(yours)s, allowed difference %(allowed)s") % {
        "expected": right,
        "yours": yours,
        "allowed": short(allowed),
    }
    return drawing(
        WIDTH,
        HEIGHT,
        label,
        _band(scale, expected, allowed),
        element("line", class_="axis", x1=EDGE / 2, x2=WIDTH - EDGE / 2, y1=AXIS, y2=AXIS),
        _mark(scale.place(expected), "expected", right, -1),
        _mark(scale.place(answer), "yours", yours, 1, "" if abs(answer - expected) > allowed else " inside"),
    )


def _band(scale: Scale, expected: float, allowed: float) -> Markup:
    left, right = scale.place(expected - allowed), scale.place(expected + allowed)
    width = max(right - left, THINNEST)
    return element("rect", class_="band", x=(left + right - width) / 2, width=width, y=AXIS - 12, height=24.0)


def _mark(x: float, name: str, number: str, side: int, kind: str = "") -> Markup:
    """The expected one above the axis, the other below, so that their words never meet."""
    anchor = "start" if x < WIDTH * 0.2 else "end" if x > WIDTH * 0.8 else "middle"
    words = element("text", f"{name} {number}", class_=name + kind, x=x, y=AXIS + side * 26 + 4, text_anchor=anchor)
    return element("line", class_=name + kind, x1=x, x2=x, y1=AXIS, y2=AXIS + side * 16) + words
