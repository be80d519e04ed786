"""A kind of answer: how Allclose calls a solution, and which values are its answer. Also the kind `functions`.

Each kind is a model of the manifest's key `answer` in this folder, and a module of its name in
`sandbox/guest/answers/`, which runs in the box with the model's `options`.
"""

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.catalog.fault import Conflict, nearest
from app.catalog.parameter import ArrayKind, Doc, Identifier, Input, Parameter, Returns
from app.judging.checker import Checker
from app.judging.options import Model


class Definition(Model):
    """A further function, or a method, that students write."""

    name: Identifier
    parameters: tuple[Parameter, ...] = Field(default=(), max_length=50)
    returns: Returns | None = None
    doc: Doc | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(parameter.name for parameter in self.parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The keys of the manifest that a kind of answer must fit. `inputs`: what cases give, without the kind's own."""

    entry_point: str
    parameters: Sequence[Parameter]
    inputs: Sequence[Parameter]
    has_inputs: bool
    frameworks: Sequence[str]
    checkers: Mapping[str, Checker]


class AnswerKind(Model, ABC):
    """How a solution is called. `kind` is its name, a Literal in each subclass.

    `module`: of `sandbox/guest/answers/`. `returned_whole`: the answer is what the function returns, as `returns` says.
    """

    kind: str

    module: ClassVar[str]
    returned_whole: ClassVar[bool] = False

    @property
    def has_methods(self) -> bool:
        """Whether its definitions are methods of the entry point."""
        return False

    @property
    def rule(self) -> str:
        """What the judge calls and compares, as a sentence for students. Empty for what a function returns."""
        return ""

    @property
    def changes(self) -> tuple[str, ...]:
        """The parameters that a solution may change."""
        return ()

    def options(self) -> dict[str, Any]:
        """Return what the module needs: plain values, without anything secret."""
        return {}

    def definitions(self) -> tuple[Definition, ...]:
        """Return the functions, or the methods of the class, that the source must define beside the entry point."""
        return ()

    def case_inputs(self, entry_point: str, declared: Sequence[Parameter]) -> tuple[Parameter, ...]:  # noqa: ARG002
        """Return what cases give, from what the manifest declares."""
        return tuple(declared)

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:  # noqa: ARG002
        """Yield what contradicts other keys of the manifest, by locations below `answer`."""
        yield from ()


def unknown_name(where: tuple[int | str, ...], name: str, known: Sequence[str], noun: str) -> Conflict:
    message = f"is {name!r}, which is not a known {noun}{nearest(name, known)}"
    return Conflict(where, message, f"the {noun}s are {', '.join(known) or 'none'}")


def array_kinds(parameters: Sequence[Parameter]) -> tuple[ArrayKind, ...]:
    """Return the different kinds of arrays that these parameters take."""
    return tuple(dict.fromkeys(each.array_kind for each in parameters if each.array_kind))


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
