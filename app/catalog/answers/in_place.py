"""`in_place`: arguments that the function changes. Their values or gradients after the call are the answer, by name."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier


class InPlace(AnswerKind):
    """`changed`: the parameters or inputs to compare after the call. `returned`: whether the result is compared too.

    `gradients`: for parameters of PyTorch, the input that has their gradients before the call. Those after it count.
    """

    kind: Literal["in_place"]
    changed: Annotated[tuple[Identifier, ...], Field(max_length=50)] = ()
    gradients: Annotated[dict[Identifier, Identifier], Field(default={}, max_length=50)]
    returned: Annotated[bool, Strict()] = False

    module: ClassVar[str] = "in_place"

    @property
    def rule(self) -> str:
        returned = ", and what the function returns" if self.returned else ""
        compared = [*self.changed, *(f"the gradients of {name}" for name in self.gradients)]
        return f"The judge compares {' and '.join(compared)} after the call{returned}."

    @property
    def changes(self) -> tuple[str, ...]:
        return self.changed

    def options(self) -> dict[str, Any]:
        return {"changes": list(self.changed), "gradients": dict(self.gradients), "returned": self.returned}

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        by_name = {each.name: each for each in (*manifest.inputs, *manifest.parameters)}
        if not self.changed and not self.gradients:
            yield Conflict(("changed",), "is missing", "name what the function changes, or add `gradients`")
        yield from self._gradient_conflicts(manifest)
        for index, name in enumerate(self.changed):
            where = ("changed", index)
            if name not in by_name:
                yield unknown_name(where, name, list(by_name), "parameter or input")
            elif by_name[name].type in ("jax", "float", "int", "bool", "str"):
                message = f"is {name!r}, which is {by_name[name].type} and can't change in place"
                yield Conflict(where, message, "name an array of numpy or torch, a list, a dict or an object")
        if self.returned and "returned" in by_name:
            yield Conflict(("returned",), "is true, but a parameter is named returned", "rename that parameter")
        if self.gradients and "gradients" in self.changed:
            yield Conflict(("changed",), "has gradients, which is a name in the answer", "rename that parameter")

    def _gradient_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        parameters, inputs = ([each.name for each in given] for given in (manifest.parameters, manifest.inputs))
        for name, given in self.gradients.items():
            if name not in parameters:
                yield unknown_name(("gradients", name), name, parameters, "parameter")
            elif given not in inputs:
                yield unknown_name(("gradients", name), given, inputs, "input")
        if self.gradients and "torch" not in manifest.frameworks:
            yield Conflict(
                ("gradients",), "is given, but only tensors of PyTorch have `.grad`", "add torch to frameworks"
            )
