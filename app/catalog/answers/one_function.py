"""The kinds of answers of one function: its result, the arguments that it changes, its first items, its gradients."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Strict, Tag

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier
from app.judging.options import Integer


class Function(AnswerKind):
    """The answer is what the function returns."""

    kind: Literal["function"] = "function"

    module: ClassVar[str] = "function"
    returned_whole: ClassVar[bool] = True


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


MOST = 100_000
Number = Annotated[
    Annotated[Integer, Field(ge=1, le=MOST), Tag("<number>")] | Annotated[Identifier, Tag("<name>")],
    Discriminator(lambda given: "<name>" if isinstance(given, str) else "<number>"),
]


class Generator(AnswerKind):
    """`first`: the number of items, or the name of an `int` input that has it. No further item is asked for."""

    kind: Literal["generator"]
    first: Number

    module: ClassVar[str] = "generator"

    @property
    def rule(self) -> str:
        return f"The judge takes the first {self.first} items, and no further one."

    def options(self) -> dict[str, Any]:
        return {"first": self.first}

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        yield from number_conflicts(("first",), self.first, manifest)


def number_conflicts(where: tuple[str, ...], number: int | str, manifest: Declared) -> Iterator[Conflict]:
    known = [each.name for each in manifest.inputs if each.type == "int" and not each.nullable]
    if isinstance(number, str) and number not in known:
        yield unknown_name(where, number, known, "`int` input")


class Gradients(AnswerKind):
    """`of`: parameters of JAX or PyTorch. A value that is not one number is first reduced by fixed factors."""

    kind: Literal["gradients"]
    of: Annotated[tuple[Identifier, ...], Field(min_length=1, max_length=50)]
    library: Literal["jax", "torch"]

    module: ClassVar[str] = "gradients"

    @property
    def rule(self) -> str:
        return f"The judge compares the value, and its gradients with respect to {' and '.join(self.of)}."

    def options(self) -> dict[str, Any]:
        return {"of": list(self.of), "library": self.library}

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        by_name = {each.name: each for each in manifest.parameters}
        for index, name in enumerate(self.of):
            where = ("of", index)
            if name not in by_name:
                yield unknown_name(where, name, list(by_name), "parameter")
            elif by_name[name].array_kind != self.library and not by_name[name].is_object:
                kind = by_name[name].array_kind or by_name[name].type
                message = f"is {name!r}, which is {kind}, but library is {self.library}"
                yield Conflict(where, message, f"declare it as {self.library}")
            elif by_name[name].nullable or not str(by_name[name].dtype or "float").startswith(("float", "bfloat")):
                yield Conflict(where, f"is {name!r}, which is not of floats in every case", "name a float array")
            elif self.library == "torch" and not by_name[name].is_array:
                yield Conflict(
                    where, f"is {name!r}, which is not one tensor", "name tensors, each as its own parameter"
                )
