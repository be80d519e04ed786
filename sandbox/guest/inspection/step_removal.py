"""Remove steps of a loop from a module. The change in the answer shows what those steps did.

A counted loop starts one step later or ends one step earlier; the remaining steps keep their slices, counters and
results. Any other loop never runs, and a choice always takes one branch. A loop in a function with several calls
changes in all of them.
"""

from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from sandbox.guest.inspection.loops import ControlFlow, Counter
from sandbox.guest.inspection.module import Module


def changes(found: ControlFlow) -> int:
    """Return the number of possible changes."""
    if found.operation.name != "while":
        return len(found.operation.regions)
    return 2 if found.counter else 1


def change(module: Module, found: ControlFlow, number: int) -> None:
    """Apply one change. `module` must be freshly parsed."""
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
    """The first branch of an `if` is the one for true."""
    _replace(choice, 0, number if choice.name == "stablehlo.case" else int(number == 0))


def _never_run(loop: Any) -> None:
    _replace(loop.regions[0].blocks[0].operations[-1].operation, 0, 0)


def _replace(operation: Any, operand: int, number: int) -> None:
    """Replace the operand by a constant of the same type, inserted before the operation."""
    kind = operation.operands[operand].type
    element = kind.element_type
    with ir.InsertionPoint(operation):
        value = ir.DenseElementsAttr.get_splat(kind, ir.IntegerAttr.get(element, number))
        operation.operands[operand] = stablehlo.constant(value)
