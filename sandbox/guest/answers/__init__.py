"""Drivers for the kinds of answers that a manifest can name: one module for each, with `call(solution, case)`.

They run in the student's process, so they hold nothing secret: they get a case's inputs and the options of its kind.
`driver` makes a driver from a kind and its options. `app/catalog/answers/` has the options.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sandbox.guest.answers.driver_case import DriverCase, Options, read_makers

Run = Callable[[Callable[..., object], dict[str, Any]], object]


def driver(kind: str, options: Options, makers: str | None) -> Run:
    """Return `run(solution, inputs)` for a kind of answer. `makers`: the source of `arguments.py`."""
    call = import_module(f"sandbox.guest.answers.{kind}").call
    made = read_makers(makers)

    def run(solution: Callable[..., object], inputs: dict[str, Any]) -> object:
        return call(solution, DriverCase(inputs=inputs, options=options, makers=made))

    return run
