"""One test case: its inputs, or the function of `cases.py` that makes them."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, Strict, StringConstraints, model_validator

from app.catalog.fault import Conflict, Inconsistent
from app.catalog.parameter import Doc, Identifier
from app.catalog.value import Value
from app.judging.options import Integer, Model

Visibility = Literal["sample", "hidden"]
CaseName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=64)]
# Of a problem, with repeated ones counted each.
MAX_CASES = 500


class Case(Model):
    """`arguments` (key `with`) go to the generator by name. `doc` is shown with a sample.

    `sealed`: the student's Python never gets the inputs, its exported program does. `repeat`: so many cases, each with
    draws of its own.
    """

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    name: CaseName
    visibility: Visibility = "hidden"
    doc: Doc | None = None
    inputs: dict[str, Value] | None = None
    generate: Identifier | None = None
    arguments: dict[Identifier, Any] = Field(default={}, alias="with")
    sealed: Annotated[bool, Strict()] = False
    repeat: Annotated[Integer, Field(ge=2, le=MAX_CASES)] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Of the cases that this one stands for."""
        return (self.name,) if self.repeat is None else tuple(f"{self.name}_{k + 1}" for k in range(self.repeat))

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.inputs is None and self.generate is None:
            raise Inconsistent(
                [Conflict((), "has no inputs", "add `inputs:`, or `generate:` with a function of cases.py")]
            )
        if self.inputs is not None and self.generate is not None:
            raise Inconsistent([Conflict(("generate",), "is given beside inputs", "keep one of the two")])
        if self.generate is None and self.arguments:
            raise Inconsistent([Conflict(("with",), "is given without generate", "remove it, or name the function")])
        if "seed" in self.arguments:
            raise Inconsistent([Conflict(("with", "seed"), "is given by the judge", "remove it, or use another name")])
        return self


def expand(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Each that is repeated as the cases that it stands for."""
    return tuple(
        case if case.repeat is None else case.model_copy(update={"name": name, "repeat": None})
        for case in cases
        for name in case.names
    )
