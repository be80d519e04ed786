"""Takes steps of a loop out of a module, so that what the answer loses shows what they did.

A counted loop starts one step later or ends one step earlier: its slices, counters and results are those of the
steps that are left. Another loop never runs; a choice is made for good. Where the loop stands in a function that is
called several times, it changes in all of those calls.
"""

from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from sandbox.guest.inspection.loops import Counter, Found
from sandbox.guest.inspection.module import Module


def changes(found: Found) -> int:
    """How many there are."""
    if found.operation.name != "while":
        return len(found.operation.regions)
    return 2 if found.counter else 1


def change(module: Module, found: Found, number: int) -> None:
    """`module`: one that was read anew."""
    operation = module.operations[found.operation.place]
    with module.context, ir.Location.unknown():
        if found.operation.name != "while":
            _choose(operation, number)
        elif found.counter is None:
            _never_run(operation)
        elif number == 0:
            _start_later(operation, found.counter)
        else:
            _end_earlier(module.operations[found.counter.compared.place], found.counter)


def _start_later(loop: Any, counter: Counter) -> None:
    _replace(loop, counter.position, counter.start + counter.step)
    for position, start, step in counter.others:
        _replace(loop, position, start + step)


def _end_earlier(compared: Any, counter: Counter) -> None:
    _replace(compared, counter.bound_operand, counter.bound - counter.step)


def _choose(choice: Any, number: int) -> None:
    """Of an `if`, the first branch is that of true."""
    _replace(choice, 0, number if choice.name == "stablehlo.case" else int(number == 0))


def _never_run(loop: Any) -> None:
    _replace(loop.regions[0].blocks[0].operations[-1].operation, 0, 0)


def _replace(operation: Any, operand: int, number: int) -> None:
    """With a constant of the same type, in front of the operation."""
    kind = operation.operands[operand].type
    element = kind.element_type
    with ir.InsertionPoint(operation):
        value = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(element, number))
        operation.operands[operand] = stablehlo.constant(value)
