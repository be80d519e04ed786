"""Words under `forbids` that no program can hold."""

from collections.abc import Iterator

from app.catalog.fault import nearest
from app.catalog.verification_report import Finding
from app.judging.requirements.forbids import OPERATIONS, STRUCTURES, Forbids
from app.verification.lint.paper import Paper


def find(paper: Paper) -> Iterator[Finding]:
    for index, requirement in enumerate(paper.package.manifest.requirements):
        for place, word in enumerate(requirement.forbids if isinstance(requirement, Forbids) else ()):
            if word not in OPERATIONS and word not in STRUCTURES:
                known = nearest(word, (*STRUCTURES, *OPERATIONS))
                message = f"requirements[{index}].forbids[{place}] is {word!r}, which no program can hold{known}"
                remedy = f"use {', '.join(STRUCTURES)}, or an operation of StableHLO such as dot_general or sort"
                yield paper.finding("error", ("requirements", index, "forbids", place), message, remedy)
