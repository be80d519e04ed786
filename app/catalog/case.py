"""One test case: its inputs, or the function of `cases.py` that makes them."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from app.catalog.fault import Conflict, Inconsistent
from app.catalog.parameter import Doc, Identifier
from app.catalog.value import Value
from app.judging.options import Model

Visibility = Literal["sample", "hidden"]
CaseName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]+$", max_length=64)]


class Case(Model):
    """`arguments` (key `with`) go to the generator by name. `doc` is shown with a sample."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)

    name: CaseName
    visibility: Visibility = "hidden"
    doc: Doc | None = None
    inputs: dict[str, Value] | None = None
    generate: Identifier | None = None
    arguments: dict[Identifier, Any] = Field(default={}, alias="with")

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
