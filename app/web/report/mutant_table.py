"""Mutants by their family: how many were killed, survived, or compute the same."""

from collections import Counter
from dataclasses import dataclass

from app.catalog.verification.strength import MutationSection


@dataclass(frozen=True, slots=True)
class Family:
    name: str
    killed: int
    survived: int
    spared: int

    @property
    def total(self) -> int:
        return self.killed + self.survived + self.spared


def families(section: MutationSection) -> tuple[Family, ...]:
    """The weakest first."""
    counts = Counter((mutant.operator, mutant.outcome) for mutant in section.mutants)
    names = sorted({mutant.operator for mutant in section.mutants})
    found = [
        Family(
            name,
            counts[name, "killed"],
            counts[name, "survived"],
            counts[name, "equivalent"] + counts[name, "rounding"],
        )
        for name in names
    ]
    return tuple(sorted(found, key=lambda family: (-family.survived, -family.total, family.name)))
