"""Cache inspection results in memory, for submissions whose programs were inspected before."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.catalog.folder import digest
from app.catalog.package import Package
from app.engine.inspection import Inspected, Ran
from app.engine.inspector_protocol import Task, Wanted
from app.engine.memory_cache import MemoryCache
from sandbox.interface import Ending

KEPT_BYTES = 64 * 2**20
# Size of an entry besides its answers.
ENTRY_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class Inspection:
    """All results for a task. `left_out`: by run, the steps that were left out."""

    inspected: Inspected
    ran: Sequence[Ran]
    left_out: Mapping[str, Wanted | None]

    @property
    def is_whole(self) -> bool:
        """Whether every message was answered. Missing answers may succeed another time, so they are not cached."""
        return self.inspected.evidence is not None and all(
            ran.outcome.ending is Ending.ANSWERED and ran.is_tried_whole and ran.cut is None for ran in self.ran
        )

    @property
    def bytes(self) -> int:
        changed = (one for ran in self.ran for answers in ran.left_out.values() for one in answers)
        answers = [*(ran.outcome.answer for ran in self.ran), *changed]
        return sum(len(answer or b"") for answer in answers) + ENTRY_BYTES


class Inspections:
    """The most recent results, by program and inputs.

    An inspector holds no student's Python code, so its results depend on nothing else. The inputs that are also run
    without some steps are drawn at random; a cached result keeps its first draw.
    """

    def __init__(self) -> None:
        self._kept = MemoryCache[bytes, Inspection](KEPT_BYTES)

    def find(self, package: Package, task: Task) -> Inspection | None:
        return self._kept.find(_key(package, task))

    def keep(self, package: Package, task: Task, inspection: Inspection) -> None:
        if inspection.is_whole:
            self._kept.keep(_key(package, task), inspection, inspection.bytes)


def _key(package: Package, task: Task) -> bytes:
    """Length-prefix each part, so that different tasks have different keys."""
    parts = [digest(package.files).encode(), task.signature, task.program, repr(task.wanted).encode()]
    for run in sorted(task.runs, key=lambda run: run.name):
        parts += [run.name.encode(), run.inputs]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in parts)).digest()
