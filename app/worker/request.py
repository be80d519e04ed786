"""From a problem package and a source to what a box is asked to run."""

from collections.abc import Sequence
from dataclasses import replace

from app.catalog.manifest import Manifest
from app.catalog.package import Package
from sandbox.interface import BoxSpec, CaseInput, Limits, Parameter, Request

MEBIBYTE = 2**20
# The reference may run on a busy machine, and its limits are nobody's exercise.
PATIENCE = 4
PATIENT_LOAD_SECONDS = 60


def box_spec(manifest: Manifest) -> BoxSpec:
    return BoxSpec(frameworks=tuple(sorted(manifest.frameworks)), gpu=manifest.limits.gpu)


def build_request(package: Package, source: str, cases: Sequence[CaseInput]) -> Request:
    manifest = package.manifest
    return Request(
        source=source,
        entry_point=manifest.entry_point,
        driver=package.driver,
        parameters=tuple(Parameter(name=p.name, kind=p.kind) for p in manifest.parameters),
        cases=tuple(cases),
        limits=limits_of(manifest),
    )


def limits_of(manifest: Manifest) -> Limits:
    return Limits(
        wall_seconds=manifest.limits.wall_seconds,
        memory_bytes=manifest.limits.memory_mib * MEBIBYTE,
    )


def patient(request: Request) -> Request:
    """For the package's own code."""
    limits = request.limits
    wall_seconds = PATIENCE * limits.wall_seconds
    return replace(request, limits=replace(limits, wall_seconds=wall_seconds, load_seconds=PATIENT_LOAD_SECONDS))
