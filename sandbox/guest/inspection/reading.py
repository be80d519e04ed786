"""Makes a graph of a module, with the function that is called in the place of each call."""

from typing import Any

from .graph import Graph, Operation, Refused, Region, Type
from .module import Module, constant_of, contracted_by, type_of

MAX_WRITTEN_OUT = 50_000
MAX_DEPTH = 64

# XLA runs the function that a composite names, whatever the composite calls itself.
_CALLS = {"func.call": "callee", "stablehlo.composite": "decomposition"}

Names = dict[Any, int]


def read(module: Module) -> Graph:
    """Raises Refused: calls may be nested so that the program, written out, has no end."""
    with module.context:
        return _Reading(module).graph()


class _Reading:
    def __init__(self, module: Module) -> None:
        self._module = module
        self._types: list[Type] = []
        self._definitions: dict[int, Operation] = {}
        self._written, self._depth = 0, 0

    def graph(self) -> Graph:
        body = self._region(self._module.main.regions[0], {})
        return Graph(types=self._types, body=body, definitions=self._definitions)

    def _number(self, value: Any) -> int:
        self._types.append(type_of(value.type))
        return len(self._types) - 1

    def _region(self, region: Any, names: Names) -> Region:
        """`names`: the numbers of the values that it sees, to which its own are added."""
        block = region.blocks[0]
        arguments = [self._number(argument) for argument in block.arguments]
        names |= dict(zip(block.arguments, arguments, strict=True))
        return self._block(block, names, arguments)

    def _block(self, block: Any, names: Names, arguments: list[int]) -> Region:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Refused(f"the program is nested more than {MAX_DEPTH} levels deep")
        operations: list[Operation] = []
        results: list[int] = []
        for view in block.operations:
            given = view.operation
            operands = [names[operand] for operand in given.operands]
            if given.name in ("func.return", "stablehlo.return"):
                results = operands
            elif given.name in _CALLS:
                called = self._call(given.attributes[_CALLS[given.name]].value, operands)
                operations += called.operations
                names |= dict(zip(given.results, called.results, strict=True))
            else:
                operations.append(self._operation(given, operands, names))
        self._depth -= 1
        return Region(arguments, operations, results)

    def _call(self, function: str, operands: list[int]) -> Region:
        block = self._module.functions[function].regions[0].blocks[0]
        return self._block(block, dict(zip(block.arguments, operands, strict=True)), operands)

    def _operation(self, given: Any, operands: list[int], names: Names) -> Operation:
        self._written += 1
        if self._written > MAX_WRITTEN_OUT:
            raise Refused(f"the program, with its calls written out, has more than {MAX_WRITTEN_OUT} operations")
        name = given.name.partition(".")[2]
        found = Operation(name, self._module.places[given], operands, [])
        found.regions = [self._region(region, names) for region in given.regions]
        found.results = [self._number(result) for result in given.results]
        if name == "constant":
            found.constant = constant_of(given)
        elif name == "compare":
            found.direction = str(given.attributes["comparison_direction"]).rpartition(" ")[2].rstrip(">")
        elif name in ("dot_general", "convolution", "reduce_window"):
            found.contracted = contracted_by(given, [self._types[operand] for operand in operands])
        names |= dict(zip(given.results, found.results, strict=True))
        self._definitions |= dict.fromkeys(found.results, found)
        return found
