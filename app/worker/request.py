"""From a problem package and a source to what a box is asked to run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.catalog.revision import digest
from app.catalog.signature import signature_of
from sandbox.guest.codec import STANDARD_CAPS
from sandbox.interface import CaseInput, Limits, Parameter, Request

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
