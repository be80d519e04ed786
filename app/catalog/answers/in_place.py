"""`in_place`: arguments that the function changes. Their values after the call are the answer, by name."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier


class InPlace(AnswerKind):
    """`changed`: the parameters to compare after the call. `returned`: whether the result is compared too."""

    kind: Literal["in_place"]
    changed: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=50)]
    returned: Annotated[bool, Strict()] = False

    module: ClassVar[str] = "in_place"

    @property
    def rule(self) -> str:
        returned = ", and what the function returns" if self.returned else ""
        return f"The judge compares {' and '.join(self.changed)} after the call{returned}."

    @property
    def changes(self) -> tuple[str, ...]:
        return self.changed

    def options(self) -> dict[str, Any]:
        return {"changes": list(self.changed), "returned": self.returned}

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        by_name = {each.name: each for each in manifest.parameters}
        for index, name in enumerate(self.changed):
            where = ("changed", index)
            if name not in by_name:
                yield unknown_name(where, name, list(by_name), "parameter")
            elif by_name[name].type in ("jax", "float", "int", "bool", "str"):
                message = f"is {name!r}, which is {by_name[name].type} and can't change in place"
                yield Conflict(where, message, "name an array of numpy or torch, a list, a dict or an object")
        if self.returned and "returned" in by_name:
            yield Conflict(("returned",), "is true, but a parameter is named returned", "rename that parameter")
