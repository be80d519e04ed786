"""The code of a package that is not its students': where its author finds it, and why it failed."""

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.package import Package
from sandbox.interface import CaseOutcome


def place_of(package: Package, key: str) -> str:
    """`key`: of the part, as it may stand in problem.yaml."""
    file = FILE_OF_KEY[key]
    return f"{package.slug}/{file}" if file in package.files else f"{package.slug}/{MANIFEST_FILE}, {key}"


def reason_of(outcome: CaseOutcome) -> str:
    """Why there is no answer."""
    failure = outcome.failure
    return f"{failure.kind}: {failure.message}\n{failure.traceback}" if failure else str(outcome.ending)
