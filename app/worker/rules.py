"""From a manifest to the rules that its answers are compared by."""

from app.catalog.manifest import Manifest
from app.judging.rules import Rules
from app.judging.tolerance import Tolerance


def rules_of(manifest: Manifest) -> Rules:
    tolerance = manifest.tolerance
    return Rules(
        tolerance=Tolerance(rtol=tolerance.rtol, atol=tolerance.atol) if tolerance else None,
        leaves={path: leaf.tolerance for path, leaf in tolerance.leaves.items()} if tolerance else {},
        checkers=manifest.checkers,
        dtype_policy=manifest.dtype_policy,
    )
