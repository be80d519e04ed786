"""A kind of answer: how Allclose calls a solution, and which values are its answer.

Each kind is a model of the manifest's key `answer`, in a file of this folder, and a module of the same name in
`sandbox/guest/answers/`, which runs in the box with the model's `options`.
"""

from abc import ABC
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import Field

from app.catalog.fault import Conflict, nearest
from app.catalog.parameter import ArrayKind, Doc, Identifier, Parameter, Returns
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
