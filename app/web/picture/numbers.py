"""Numbers as a report holds them: nested lists, NaN and inf as words."""

import math
from collections.abc import Sequence
from typing import Any

from app.web.messages import gettext as _


def flatten(values: Any) -> list[Any]:
    """In C order."""
    return [item for part in values for item in flatten(part)] if isinstance(values, list) else [values]


def read_number(value: Any) -> float | None:
    """None for what is no real number: text, a complex one."""
    if isinstance(value, bool | int | float):
        return float(value)
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def read_numbers(values: Any) -> list[float] | None:
    numbers = [read_number(value) for value in flatten(values)]
    return None if any(number is None for number in numbers) else [number for number in numbers if number is not None]


def finite(numbers: Sequence[float]) -> list[float]:
    return [number for number in numbers if math.isfinite(number)]


def short(number: float, digits: int = 4) -> str:
    """As people write them."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else ("∞" if number > 0 else "−∞")
    return f"{number:.{digits}g}".replace("-", "−")


def apart(one: float, other: float, least: int = 4) -> tuple[str, str]:
    """Both with as many digits as it takes to tell them apart."""
    for digits in range(least, 17):
        pair = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if pair[0] != pair[1] or one == other:
            break
    return pair[0].replace("-", "−"), pair[1].replace("-", "−")


def pair_text(answer: float, expected: float) -> str:
    yours, right = apart(answer, expected) if math.isfinite(answer - expected) else (short(answer), short(expected))
    return _("yours %(yours)s, expected %(expected)s") % {"yours": yours, "expected": right}


def share_text(used: float) -> str:
    """How much of the tolerance was used, in words that go on from "Yours"."""
    if math.isnan(used) or math.isinf(used):
        return "differs where no difference is allowed"
    if not used:
        return "uses none of the tolerance"
    if used <= 1:
        percent = used * 100
        return f"uses {'less than 1' if 0 < percent < 1 else f'{percent:.0f}'} % of the tolerance"
    return (
        f"is off by {used:.3g} times the tolerance"
        if used < 1000
        else f"is off by {_thousands(used)} times the tolerance"
    )


def short_share(used: float) -> str:
    """In a table: percent of the tolerance, or how many times it."""
    if math.isnan(used) or math.isinf(used):
        return "∞ ×"
    if used <= 1:
        percent = used * 100
        return "< 1 %" if 0 < percent < 1 else f"{percent:.0f} %"
    return f"{used:.3g} ×" if used < 1000 else f"{_thousands(used)} ×"


def _thousands(number: float) -> str:
    return f"{float(f'{number:.2g}'):,.0f}" if number < 1e9 else f"{number:.2g}"
