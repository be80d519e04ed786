"""`calls`: how often a function was called while the solution ran, as counted in the student's own process.

The count is evidence and not proof, since a student can forge it. Use it for code that can't be exported.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field, StringConstraints

from app.judging.checker import Objection
from app.judging.requirement import Basis, Count, Facts, Requirement, plural

# In the order of `sandbox.guest.record`, which counts them.
Call: TypeAlias = Literal[
    "autocast",
    "backward",
    "checkpoint",
    "clip_grad_norm",
    "optimizer.step",
    "optimizer.zero_grad",
    "scaler.step",
    "scaler.unscale",
    "scaler.update",
]

CALLS: tuple[str, ...] = get_args(Call)
CALL_NAME = r"^[A-Za-z_][A-Za-z0-9_.]*$"


class Calls(Requirement):
    """`calls`: one of `Call`, or a parameter of type `function`.

    `count`, or `at_least` and `at_most`: each a number, or the name of an `int` parameter or a symbolic size."""

    calls: Annotated[
        str, StringConstraints(pattern=CALL_NAME, max_length=64), Field(json_schema_extra={"examples": list(CALLS)})
    ]
    count: Count | None = None
    at_least: Count | None = None
    at_most: Count | None = None

    @property
    def basis(self) -> Basis:
        return "calls"

    @property
    def frameworks(self) -> tuple[str, ...]:
        """PyTorch, or none for calls of a function that the solution gets."""
        return ("torch",) if self.calls in CALLS else ()

    @property
    def names(self) -> Mapping[str, str]:
        given = {"count": self.count, "at_least": self.at_least, "at_most": self.at_most}
        return {key: count for key, count in given.items() if isinstance(count, str)}

    def find_contradiction(self) -> Objection | None:
        if self.count is not None and (self.at_least is not None or self.at_most is not None):
            return Objection(key="count", message="conflicts with at_least and at_most", remedy="keep one of them")
        if self.count is None and self.at_least is None and self.at_most is None:
            return Objection(key="calls", message="has no number", remedy="add `count:`, `at_least:` or `at_most:`")
        return None

    @property
    def rule(self) -> str:
        return f"call {self.calls} {self._amount()}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        found = facts.calls.get(self.calls, 0)
        for is_met, count in (
            (int.__eq__, self.count),
            (int.__ge__, self.at_least),
            (int.__le__, self.at_most),
        ):
            if count is not None and not is_met(found, facts.number(count)):
                return f"{self.calls} to be called {self._amount(facts)}", plural(found, "call")
        return None

    def _amount(self, facts: Facts | None = None) -> str:
        given = (("", self.count), ("at least ", self.at_least), ("at most ", self.at_most))
        return " and ".join(f"{words}{_times(count, facts)}" for words, count in given if count is not None)


def _times(count: int | str, facts: Facts | None) -> str:
    number = facts.number(count) if facts else count
    return plural(number, "time") if isinstance(number, int) else f"{number} times"
