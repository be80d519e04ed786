"""Tolerances of leaves that no answer has."""

from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.judging.rules import find_pattern
from app.judging.structure import leaves, path_text
from app.verification.lint.paper import Paper
from sandbox.guest.codec import decode


def find(paper: Paper) -> Iterator[Finding]:
    tolerance = paper.package.manifest.tolerance
    if tolerance is None or not tolerance.leaves or not paper.cases:
        return
    paths = {path_text(path) for case in paper.cases for path, _ in leaves(decode(case.expected))}
    used = {find_pattern(path, tolerance.leaves) for path in paths}
    for pattern in tolerance.leaves:
        if pattern not in used:
            known = ", ".join(sorted(paths - {""})) or "the whole output"
            message = f"the tolerance of {pattern} is used by no leaf of any case"
            yield paper.finding(
                "warning", ("tolerance", "leaves", pattern), message, f"correct or remove it; the leaves are {known}"
            )
