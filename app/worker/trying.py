"""On which cases a program is also asked for its answer without a step of its loop: each program so tried is compiled
again for every step that is left out.
"""

from collections.abc import Iterable

from app.catalog.manifest import Manifest
from app.judging.evidence import Evidence
from app.judging.requirement import Facts
from app.judging.requirements.uses import LEAST_LENGTH, Uses, clear_effect
from app.worker.inspection import signature_of
from app.worker.numbers import numbers_of
from sandbox.interface import CaseInput

PROGRAMS = 2
CASES = 2


def choose_tried(manifest: Manifest, cases: Iterable[CaseInput]) -> frozenset[str]:
    """The names of a few cases of each of a few programs, from the first on; none where no loop is asked for."""
    chosen: dict[bytes, list[str]] = {}
    for case in cases:
        signature = signature_of(manifest, case.inputs)
        if signature in chosen or (len(chosen) < PROGRAMS and _asks_for_steps(manifest, case)):
            chosen.setdefault(signature, []).append(case.name)
    return frozenset(name for names in chosen.values() for name in names[:CASES])


def is_telling(reference: Evidence | None) -> bool:
    """Whether the reference's own answer moves enough to measure others by it."""
    return reference is not None and bool(clear_effect((*reference.loops, *reference.branches)))


def _asks_for_steps(manifest: Manifest, case: CaseInput) -> bool:
    wanted = [requirement for requirement in manifest.requirements if isinstance(requirement, Uses)]
    facts = Facts(numbers=numbers_of(manifest, case.inputs) if wanted else {})
    lengths = [requirement.steps(facts) for requirement in wanted]
    return any(length is None or length >= LEAST_LENGTH for length in lengths)
