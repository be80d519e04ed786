"""Arguments that the function changes: their values after the call, or their gradients, are the answer, by name."""

from collections.abc import Callable

from sandbox.guest.answers.driver_case import DriverCase, gradients_of, set_gradients, snapshot


def call(solution: Callable[..., object], case: DriverCase) -> object:
    arguments = case.arguments()
    for name, given in case.options["gradients"].items():
        set_gradients(arguments[name], case.inputs[given])
    returned = solution(*arguments.values())
    answer = {name: snapshot({**case.inputs, **arguments}[name]) for name in case.options["changes"]}
    if case.options["gradients"]:
        answer["gradients"] = {name: gradients_of(arguments[name]) for name in case.options["gradients"]}
    return {"returned": returned, **answer} if case.options["returned"] else answer
