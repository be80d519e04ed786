"""`random`: the function is called with several seeds; its samples, or their statistics, are the answer."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.catalog.answers.class_calls import ClassCalls
from app.catalog.answers.kind import AnswerKind, Declared, Definition, unknown_name
from app.catalog.answers.one_function import Number, number_conflicts
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier, Parameter

Statistic = Literal["mean", "std", "median", "min", "max"]


class RandomSamples(AnswerKind):
    """`seed`: the `int` input with the first seed; call i gets seed + i. `repeat`: the number of calls.

    `statistics`: compare these over the calls, or over axis 0 of a single call, in place of the samples. `of`: a class;
    for each seed an object is made and called, and the result of the last call is the sample.
    """

    kind: Literal["random"]
    seed: Identifier
    repeat: Number = 1
    statistics: Annotated[tuple[Statistic, ...], Field(max_length=5)] = ()

    of: ClassCalls | None = None

    module: ClassVar[str] = "random_samples"

    @property
    def has_methods(self) -> bool:
        return self.of is not None

    @property
    def rule(self) -> str:
        what = " and ".join(self.statistics) or "distribution"
        calls = "" if self.repeat == 1 else f" over {self.repeat} calls with other seeds"
        return (
            f"The judge compares the {what}{calls}. The same {self.seed} must give the same answer again, and another "
            f"{self.seed} another answer. All samples must be independent."
        )

    def options(self) -> dict[str, Any]:
        own = {"seed": self.seed, "repeat": self.repeat, "of": self.of.module if self.of else "function"}
        return own | (self.of.options() if self.of else {})

    def definitions(self) -> tuple[Definition, ...]:
        return self.of.definitions() if self.of else ()

    def case_inputs(self, entry_point: str, declared: Sequence[Parameter]) -> tuple[Parameter, ...]:
        return self.of.case_inputs(entry_point, declared) if self.of else tuple(declared)

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        if self.of and self.of.state:
            message = "is given, but the sample is the result of the last call"
            yield Conflict(("of", "state"), message, "remove it, or add a method that returns it")
        for conflict in self.of.list_conflicts(manifest) if self.of else ():
            yield conflict.within("of")
        known = [each.name for each in manifest.inputs if each.type == "int" and not each.nullable]
        if self.seed not in known:
            yield unknown_name(("seed",), self.seed, known, "`int` input")
        yield from number_conflicts(("repeat",), self.repeat, manifest)
        if not self.statistics and not any(each.checker == "distribution" for each in manifest.checkers.values()):
            remedy = "add `statistics: [mean, std]`, or `checkers: {samples: {checker: distribution}}`"
            yield Conflict((), "compares samples one by one", remedy)
