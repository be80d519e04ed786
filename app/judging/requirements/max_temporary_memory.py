"""`max_temporary_memory`: the compiled program's largest memory besides its inputs and outputs."""

from typing import Annotated

from pydantic import Field

from app.judging.checker import Objection
from app.judging.options import Model, Number
from app.judging.requirement import NOT_TRIED, Facts, Requirement

MIB = 2**20


class Memory(Model):
    """A limit, either in MiB or as a ratio to the reference's memory."""

    mib: Annotated[Number, Field(gt=0, le=65_536)] | None = None
    ratio: Annotated[Number, Field(gt=0, le=1000)] | None = None


class MaxTemporaryMemory(Requirement):
    max_temporary_memory: Memory

    def find_contradiction(self) -> Objection | None:
        given = [key for key in ("mib", "ratio") if getattr(self.max_temporary_memory, key) is not None]
        if len(given) == 1:
            return None
        message = "is given in two ways" if given else "gives no amount"
        return Objection(key="max_temporary_memory", message=message, remedy="write `{mib: 1}` or `{ratio: 2}`")

    @property
    def rule(self) -> str:
        most = self.max_temporary_memory
        if most.ratio is not None:
            return f"need at most {most.ratio:g} times the reference's temporary memory"
        return f"need at most {most.mib:g} MiB of temporary memory"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        expected = self.rule.removeprefix("need ")
        limit = self._limit(facts)
        if facts.evidence is None or limit is None:
            return expected, NOT_TRIED
        needed = facts.evidence.temporary_bytes
        return None if needed <= limit else (expected, _size(needed))

    def _limit(self, facts: Facts) -> float | None:
        most = self.max_temporary_memory
        if most.mib is not None:
            return most.mib * MIB
        return most.ratio * facts.reference.temporary_bytes if most.ratio and facts.reference else None


def _size(size: int) -> str:
    return f"{size / MIB:.3g} MiB" if size >= MIB / 10 else f"{size:,} bytes"
