"""`max_equations`: the largest number of operations in the uncompiled program."""

from typing import Annotated

from pydantic import Field

from app.judging.options import Integer
from app.judging.requirement import NOT_TRIED, Facts, Requirement, plural


class MaxEquations(Requirement):
    max_equations: Annotated[Integer, Field(ge=1, le=1_000_000)]

    @property
    def rule(self) -> str:
        return f"have at most {plural(self.max_equations, 'operation')}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected = f"at most {plural(self.max_equations, 'operation')}"
        if facts.evidence is None:
            return expected, NOT_TRIED
        if facts.evidence.equations <= self.max_equations:
            return None
        copies = facts.evidence.copies
        repeated = f", among them {copies} copies of one body" if copies > 1 else ""
        return expected, f"{facts.evidence.equations:,}{repeated}"
