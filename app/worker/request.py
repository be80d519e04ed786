"""From a problem package and a source to what a box is asked to run.

The code of a package that is not its students': where its author finds it, and why it failed.

The whole numbers of a case by name, for requirements that speak of them: of what it gives, and of symbolic sizes.

From a manifest to the rules that its answers are compared by.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, digest
from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.catalog.signature import signature_of
from app.errors import JudgeFailed
from app.judging.rules import Rules
from app.judging.tolerance import Tolerance
from sandbox.guest.codec import STANDARD_CAPS, decode
from sandbox.interface import CaseInput, CaseOutcome, Limits, Parameter, Request

if TYPE_CHECKING:
    from app.catalog.model import Device


MEBIBYTE = 2**20
# The reference may run on a busy machine, and its limits are nobody's exercise.
PATIENCE = 4
PATIENT_LOAD_SECONDS = 60
# As large as anything that can be read.
MOST_ANSWER_BYTES = STANDARD_CAPS.total_bytes
# A shape that is wrong should be reported as one, and not as too large, wherever that costs little.
LEAST_ANSWER_BYTES = 4 * MEBIBYTE
# An answer that is right may have wider elements than the expected one: float64 for int8.
WIDER = 8


def device_of(manifest: Manifest) -> "Device":
    return "gpu" if manifest.limits.gpu else "cpu"


def build_request(
    package: Package, source: str, cases: Sequence[CaseInput], answer_bytes: int = MOST_ANSWER_BYTES
) -> Request:
    """`answer_bytes`: how large the answer to a case may be."""
    manifest = package.manifest
    return Request(
        source=source,
        entry_point=manifest.entry_point,
        driver=package.driver,
        parameters=tuple(Parameter(name=p.name, kind=p.kind) for p in manifest.case_inputs),
        cases=tuple(cases),
        limits=replace(limits_of(manifest), answer_bytes=answer_bytes),
        guarded=tuple(p.name for p in manifest.case_inputs if p.name not in manifest.may_change),
        signature=signature_of(package),
        problem=spares_of(package),
    )


def spares_of(package: Package) -> str:
    """By which a box knows the spares that may run this revision."""
    return digest(package.files)


def limits_of(manifest: Manifest) -> Limits:
    return Limits(
        wall_seconds=manifest.limits.wall_seconds,
        memory_bytes=manifest.limits.memory_mib * MEBIBYTE,
    )


def answer_bytes(expected: Sequence[bytes]) -> int:
    """For submissions. In powers of two: a program can read its limits, and this one comes from hidden cases too."""
    wanted = max(LEAST_ANSWER_BYTES, WIDER * max(map(len, expected), default=0))
    return min(1 << (wanted - 1).bit_length(), MOST_ANSWER_BYTES)


def patient(request: Request) -> Request:
    """For the package's own code."""
    limits = request.limits
    wall_seconds = PATIENCE * limits.wall_seconds
    return replace(request, limits=replace(limits, wall_seconds=wall_seconds, load_seconds=PATIENT_LOAD_SECONDS))


def patient_at_first(request: Request) -> Request:
    """For the package's own code on inputs that students made: patient while it loads, and not after."""
    return replace(request, limits=replace(request.limits, load_seconds=PATIENT_LOAD_SECONDS))


class PackageFailed(JudgeFailed):
    """A part of the package failed, and its author must change it. The student is not charged.

    `reason` and `remedy` make up the text. `part` is a key such as `reference`, empty for `problem.yaml`. `outcome` is
    the sandbox's answer if the part ran; it implies the remedy.
    """

    def __init__(self, reason: str, *, remedy: str = "", part: str = "", outcome: CaseOutcome | None = None) -> None:
        super().__init__(f"{reason}; {remedy}" if remedy else reason)
        self.reason, self.remedy, self.part, self.outcome = reason, remedy, part, outcome


def place_of(package: Package, key: str) -> str:
    """`key`: of the part, as it may stand in problem.yaml."""
    file = FILE_OF_KEY[key]
    return f"{package.slug}/{file}" if file in package.files else f"{package.slug}/{MANIFEST_FILE}, {key}"


def reason_of(outcome: CaseOutcome) -> str:
    """Why there is no answer."""
    failure = outcome.failure
    return f"{failure.kind}: {failure.message}\n{failure.traceback}" if failure else str(outcome.ending)


def numbers_of(manifest: Manifest, inputs: bytes) -> Mapping[str, int]:
    """`inputs`: encoded. A fraction counts as the whole number below it."""
    given: Any = decode(inputs)
    numbers: dict[str, int] = {}
    for parameter in manifest.case_inputs:
        value = given[parameter.name]
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
            numbers[parameter.name] = int(value // 1)
        elif isinstance(value, np.ndarray) and parameter.is_array:
            sizes = zip(parameter.shape or (), value.shape, strict=False)
            numbers |= {size: length for size, length in sizes if isinstance(size, str)}
    return numbers


def rules_of(manifest: Manifest) -> Rules:
    tolerance = manifest.tolerance
    return Rules(
        tolerance=Tolerance(rtol=tolerance.rtol, atol=tolerance.atol) if tolerance else None,
        leaves={path: leaf.tolerance for path, leaf in tolerance.leaves.items()} if tolerance else {},
        checkers=manifest.checkers,
        dtype_policy=manifest.dtype_policy,
    )
