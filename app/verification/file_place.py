"""Where a file of a package really stands: in a package that is one YAML file, its parts are texts inside."""

from collections.abc import Mapping

from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.package import Package
from app.catalog.part import gather
from app.catalog.source import Source
from app.catalog.verification_report import Finding
from app.catalog.yaml_document import read_document


def places_of(package: Package) -> Mapping[str, Source]:
    """By the path that each part would have as a file of its own."""
    texts = {path: content.decode() for path, content in package.files.items()}
    parts = gather(texts, read_document(MANIFEST_FILE, texts[MANIFEST_FILE]), frozenset())
    known = {f"submissions/{each.verdict}/{each.name}.py": each.source for each in parts.submissions}
    return {FILE_OF_KEY[key]: source for key, source in parts.sources.items()} | known


def placed(finding: Finding, places: Mapping[str, Source]) -> Finding:
    """About the line of `problem.yaml` where that is where the text stands; its key goes before the message."""
    source = places.get(finding.file or "")
    if source is None or source.file == finding.file:
        return finding
    line = source.above + (finding.line or 1)
    message = f"{source.key}: {finding.message}"
    return finding.model_copy(update={"file": source.file, "line": line, "message": message})
