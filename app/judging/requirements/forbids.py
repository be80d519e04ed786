"""`forbids`: structures, or operations of StableHLO, that the program must not hold."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, StringConstraints

from app.judging.evidence import Evidence
from app.judging.requirement import NOT_TRIED, Facts, Requirement

Word = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
LOOPS = frozenset({"scan", "fori", "while"})


class Forbids(Requirement):
    """A word of `uses`, or the name of an operation without its dialect: `dot_general`, `custom_call`, `sort`."""

    forbids: Annotated[tuple[Word, ...], Field(min_length=1, max_length=50)]

    @property
    def rule(self) -> str:
        return f"not use {' or '.join(self.forbids)}"

    def judge(self, facts: Facts) -> tuple[str, str] | None:
        if facts.evidence is None:
            return f"no {' or '.join(self.forbids)}", NOT_TRIED
        found = list(self._found(facts.evidence))
        return (f"no {' or '.join(self.forbids)}", ", ".join(found)) if found else None

    def _found(self, evidence: Evidence) -> Iterator[str]:
        for word in self.forbids:
            if times := _times(evidence, word):
                yield f"{word} ({times} times)" if times > 1 else word


def _times(evidence: Evidence, word: str) -> int:
    if word in LOOPS:
        return len(evidence.loops)
    return len(evidence.branches) if word == "cond" else evidence.operations.get(word, 0)
