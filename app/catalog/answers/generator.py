"""`generator`: the first items that the function yields are the answer, as a list."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator, Field, Tag

from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier
from app.judging.options import Integer

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
