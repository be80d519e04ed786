"""`max_flops_ratio`: the largest ratio of the program's FLOPs to the reference's."""

from typing import Annotated

from pydantic import Field

from app.judging.options import Number
from app.judging.requirement import NOT_TRIED, Facts, Requirement

# FLOPs allowed beyond the ratio for each step of the reference's loops: a few matter where a step has few elements.
MORE_PER_STEP = 8


class MaxFlopsRatio(Requirement):
    """A loop of unknown length counts as one step, but fails if the reference has no such loop."""

    max_flops_ratio: Annotated[Number, Field(gt=0, le=1000)]

    @property
    def rule(self) -> str:
        return f"do at most {self.max_flops_ratio:g} times as much arithmetic as the reference"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected = f"at most {self.max_flops_ratio:g} times the reference's arithmetic"
        if facts.evidence is None or facts.reference is None:
            return expected, NOT_TRIED
        if facts.evidence.unbounded > facts.reference.unbounded:
            return expected, "a loop of unknown length"
        own, reference = facts.evidence.flops, facts.reference.flops
        steps = max((loop.steps or 1 for loop in facts.reference.loops), default=0)
        if own <= self.max_flops_ratio * reference + MORE_PER_STEP * steps:
            return None
        return expected, f"{own / reference:.3g} times" if reference else "some, and the reference does none"
