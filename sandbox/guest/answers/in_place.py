"""Arguments that the function changes: their values after the call are the answer, by name."""

from collections.abc import Callable

from sandbox.guest.answers.case import Case, snapshot


def call(solution: Callable[..., object], case: Case) -> object:
    arguments = case.arguments()
    returned = solution(*arguments.values())
    changed = {name: snapshot(arguments[name]) for name in case.options["changes"]}
    return {"returned": returned, **changed} if case.options["returned"] else changed
