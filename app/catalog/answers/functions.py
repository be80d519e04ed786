"""`functions`: several functions in one source. Each case names the one that it calls, in its input `function`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.catalog.answers.kind import AnswerKind, Declared, Definition, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Input, Parameter

CHOICE = "function"


class FunctionName(Input):
    """The input that names the function of a case. `takes`: the parameters of each function, by its name."""

    takes: Annotated[dict[str, tuple[Parameter, ...]], Field(exclude=True)]

    def find_conflict(self, value: Any) -> Conflict | None:
        known = list(self.takes)
        return None if value in known else unknown_name((), str(value), known, "function")


def inputs_of(declared: Sequence[Parameter], given: Mapping[Any, Any]) -> tuple[Parameter, ...]:
    """Return what this case must give. Cases of different functions give different inputs."""
    name = next((each for each in declared if isinstance(each, FunctionName)), None)
    if name is None:
        return tuple(declared)
    chosen = given.get(CHOICE)
    if isinstance(chosen, str) and chosen in name.takes:
        return (name, *name.takes[chosen])
    # The name is a fault; what else is given may be right.
    return (name, *(each for each in declared if each.name != CHOICE and each.name in given))


class Functions(AnswerKind):
    """`functions`: those beside the entry point, which stays the first one."""

    kind: Literal["functions"]
    functions: Annotated[tuple[Definition, ...], Field(min_length=1, max_length=20)]

    module: ClassVar[str] = "functions"

    @property
    def rule(self) -> str:
        return "Each case calls one of the functions, and the judge compares what it returns."

    def options(self) -> dict[str, Any]:
        return {"functions": {each.name: list(each.names) for each in self.functions}}

    def definitions(self) -> tuple[Definition, ...]:
        return self.functions

    def case_inputs(self, entry_point: str, declared: Sequence[Parameter]) -> tuple[Parameter, ...]:
        takes = {entry_point: tuple(declared), **{each.name: each.parameters for each in self.functions}}
        doc = f"the function that the case calls: {', '.join(takes)}"[:500]
        name = FunctionName(name=CHOICE, type="str", static=True, doc=doc, takes=takes)
        by_name: dict[str, Parameter] = {}
        for each in (each for parameters in takes.values() for each in parameters):
            by_name.setdefault(each.name, each)
        return (name, *by_name.values())

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        if manifest.has_inputs:
            remedy = "remove `inputs`, or write driver.py in place of `answer`"
            yield Conflict(("kind",), "is functions, whose cases give the functions' own parameters", remedy)
        seen = {manifest.entry_point}
        for index, each in enumerate(self.functions):
            if each.name in seen:
                message = f"is {each.name!r}, which is the name of another function"
                yield Conflict(("functions", index, "name"), message, "give each function its own name")
            seen.add(each.name)
            yield from _parameter_conflicts(index, each)
        yield from self._kind_conflicts(manifest)

    def _kind_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        """A box converts the arrays of an input by its name."""
        kinds = {each.name: each.kind for each in manifest.parameters}
        for index, function in enumerate(self.functions):
            for place, each in enumerate(function.parameters):
                if kinds.setdefault(each.name, each.kind) != each.kind:
                    message = f"is {each.kind}, but another function's {each.name} is {kinds[each.name]}"
                    yield Conflict(("functions", index, "parameters", place, "type"), message, "rename one of them")
        if CHOICE in kinds:
            yield Conflict(("kind",), f"is functions, but a parameter is named {CHOICE}", "rename the parameter")


def _parameter_conflicts(index: int, function: Definition) -> Iterator[Conflict]:
    for place, each in enumerate(function.parameters):
        if each.is_object:
            message = f"is {each.type}, which a case can't give"
            yield Conflict(
                ("functions", index, "parameters", place, "type"), message, "use a type that a case can give"
            )
