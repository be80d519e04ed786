"""On which cases a program is also asked for its answer without a step of its loop: each program so tried is compiled
again for every step that is left out.
"""

from collections.abc import Mapping

from app.catalog.manifest import Manifest
from app.judging.evidence import Evidence
from app.judging.requirements.uses import Uses, clear_effect
from app.worker.inspection import signature_of

PROGRAMS = 3
CASES = 2


def choose_tried(manifest: Manifest, inputs: Mapping[str, bytes]) -> frozenset[str]:
    """The names of some, by their encoded inputs, from the first on. None in a problem that asks for no loop."""
    if not any(isinstance(requirement, Uses) for requirement in manifest.requirements):
        return frozenset()
    chosen: dict[bytes, list[str]] = {}
    for name, given in inputs.items():
        signature = signature_of(manifest, given)
        if signature in chosen or len(chosen) < PROGRAMS:
            chosen.setdefault(signature, []).append(name)
    return frozenset(name for names in chosen.values() for name in names[:CASES])


def is_telling(reference: Evidence | None) -> bool:
    """Whether the reference's own answer moves enough to measure others by it."""
    return reference is not None and bool(clear_effect((*reference.loops, *reference.branches)))
