"""A generator: its first items are the answer, as a list. No further item is asked for."""

from collections.abc import Callable
from itertools import islice
from typing import Any

from sandbox.guest.answers.driver_case import DriverCase, snapshot


def call(solution: Callable[..., object], case: DriverCase) -> object:
    made: Any = solution(*case.arguments().values())
    try:
        items = iter(made)
    except TypeError:
        kind = type(made).__name__
        raise TypeError(f"the function returned a {kind}, which has no items; let it `yield` them") from None
    return [snapshot(item) for item in islice(items, case.number("first"))]
