"""`gradients`: the function's value, and its gradients with respect to named parameters."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier


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
