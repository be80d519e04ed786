"""`random`: the function is called with several seeds; its samples, or their statistics, are the answer."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from app.catalog.answers.generator import Number, number_conflicts
from app.catalog.answers.kind import AnswerKind, Declared, unknown_name
from app.catalog.fault import Conflict
from app.catalog.parameter import Identifier

Statistic = Literal["mean", "std", "median", "min", "max"]


class RandomSamples(AnswerKind):
    """`seed`: the `int` input with the first seed; call i gets seed + i. `repeat`: the number of calls.

    `statistics`: compare these over the calls, or over axis 0 of a single call, in place of the samples.
    """

    kind: Literal["random"]
    seed: Identifier
    repeat: Number = 1
    statistics: Annotated[tuple[Statistic, ...], Field(max_length=5)] = ()

    module: ClassVar[str] = "random_samples"

    @property
    def rule(self) -> str:
        what = " and ".join(self.statistics) or "distribution"
        calls = "" if self.repeat == 1 else f" over {self.repeat} calls with other seeds"
        return (
            f"The judge compares the {what}{calls}. The same {self.seed} must give the same answer again, and another "
            "one another answer."
        )

    def options(self) -> dict[str, Any]:
        return {"seed": self.seed, "repeat": self.repeat, "statistics": list(self.statistics)}

    def list_conflicts(self, manifest: Declared) -> Iterator[Conflict]:
        known = [each.name for each in manifest.inputs if each.type == "int" and not each.nullable]
        if self.seed not in known:
            yield unknown_name(("seed",), self.seed, known, "`int` input")
        yield from number_conflicts(("repeat",), self.repeat, manifest)
        if not self.statistics and not any(each.checker == "distribution" for each in manifest.checkers.values()):
            remedy = "add `statistics: [mean, std]`, or `checkers: {samples: {checker: distribution}}`"
            yield Conflict((), "compares samples one by one", remedy)
