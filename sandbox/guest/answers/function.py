"""The answer is what the function returns."""

from collections.abc import Callable

from sandbox.guest.answers.driver_case import DriverCase


def call(solution: Callable[..., object], case: DriverCase) -> object:
    return solution(*case.arguments().values())
