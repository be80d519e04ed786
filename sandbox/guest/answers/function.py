"""The answer is what the function returns."""

from collections.abc import Callable

from sandbox.guest.answers.case import Case


def call(solution: Callable[..., object], case: Case) -> object:
    return solution(*case.arguments().values())
