"""Lists of numbers, such as training losses, as one vector, although each number is a leaf."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.web.picture.leaf_values import BY_ELEMENT, Values, read_number, severity_of

_ITEM = re.compile(r"(.+)/(\d{1,4})|(\d{1,4})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A list of numbers. `path` is the list's; `used` is the largest share of the tolerance."""

    path: str
    values: Values
    used: float | None


def find_curve(report: Mapping[str, Any], leaf: Mapping[str, Any]) -> Curve | None:
    """Find the list of a leaf, or None if the leaf is not in a list of numbers."""
    if (path := list_of(leaf["path"])) is None:
        return None
    expected, answer = (_numbers(report.get(name), path) for name in ("expected", "answer"))
    told = {_place(one["path"]): one for one in report["leaves"] if list_of(one["path"]) == path}
    if not expected or not answer or len(expected) != len(answer) or len(expected) < 2:
        return None
    if any(one["checker"] not in BY_ELEMENT or one["shape"] or one["expected_shape"] for one in told.values()):
        return None
    used = {place: number for place, one in told.items() if (number := read_number(one["tolerance_used"])) is not None}
    worst = max(told, key=lambda place: severity_of(told[place]))
    values = Values(
        shape=(len(expected),),
        expected=expected,
        answer=answer,
        allowed=[(leaf["atol"] or 0.0) + (leaf["rtol"] or 0.0) * abs(number) for number in expected],
        start=(0,),
        worst=None if worst >= len(expected) else (worst,),
        is_part=False,
    )
    return Curve(path=path, values=values, used=max(used.values(), default=None))


def list_of(path: str) -> str | None:
    item = _ITEM.fullmatch(path)
    return (item[1] or "") if item else None


def _place(path: str) -> int:
    return int(path.rpartition("/")[2])


def _numbers(preview: Mapping[str, Any] | None, path: str) -> list[float] | None:
    """Return all numbers of a list in order, or None if any is missing or not a number."""
    leaves = [leaf for leaf in (preview or {}).get("leaves", []) if list_of(leaf["path"]) == path]
    numbers = [None if leaf["shape"] else read_number(leaf.get("values")) for leaf in leaves]
    if [_place(leaf["path"]) for leaf in leaves] != list(range(len(leaves))) or None in numbers:
        return None
    return [number for number in numbers if number is not None]
