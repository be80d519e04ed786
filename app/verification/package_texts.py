"""A package's texts and code with their file and line, so that a finding names the line that the author must change.

A text has a file of its own or is a value in `problem.yaml`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.catalog.case import is_case_value
from app.catalog.fault import Location
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE
from app.catalog.manifest import Manifest
from app.catalog.package import Package
from app.catalog.part import Known, Parts, gather
from app.catalog.source import Source
from app.catalog.verification_report import Finding, Severity
from app.catalog.yaml_document import Document, read_document
from app.engine.prepare import PreparedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageTexts:
    """`sources` maps keys such as `statement` to texts and code. `cases` is empty if the reference has no answers."""

    package: Package
    document: Document
    sources: Mapping[str, Source]
    submissions: tuple[Known, ...]
    cases: Sequence[PreparedCase]

    @property
    def manifest(self) -> Manifest:
        return self.package.manifest

    def public_texts(self) -> Iterator[Source]:
        """Yield each text that a student can read before solving the problem."""
        for key in ("statement", "starter"):
            yield self.sources[key]
        yield self.text(("summary",), self.manifest.summary)
        for index, hint in enumerate(self.manifest.hints):
            yield self.text(("hints", index), hint)
        for index, question in enumerate(self.manifest.quiz):
            yield self.text(("quiz", index), "\n".join([question.question, *question.choices]))
        for index, parameter in enumerate(self.manifest.parameters):
            yield self.text(("parameters", index), parameter.doc or "")
        for definition in self.manifest.answer.definitions():
            for doc in (definition.doc, *(parameter.doc for parameter in definition.parameters)):
                yield self.text(("answer",), doc or "")
        for index, given in enumerate(self.manifest.inputs or ()):
            yield self.text(("inputs", index), given.doc or "")

    def text(self, key: Location, text: str) -> Source:
        """Return a value of the manifest as a source. All its lines get the number of the line where it begins."""
        return Source(text.replace("\n", " "), self.document.file, self.document.line_of(key) - 1)

    def finding(self, severity: Severity, key: Location, message: str, remedy: str) -> Finding:
        """Return a lint finding about a key of the manifest; the empty key is the whole manifest."""
        line = self.document.line_of(key) if key else None
        file = self.document.file
        return Finding(check="lint", severity=severity, message=message, remedy=remedy, file=file, line=line)


def read_texts(package: Package, cases: Sequence[PreparedCase]) -> PackageTexts:
    document, parts = _parts_of(package)
    return PackageTexts(
        package=package, document=document, sources=parts.sources, submissions=parts.submissions, cases=cases
    )


def finding_at(source: Source, line: int, severity: Severity, message: str, remedy: str) -> Finding:
    """Return a lint finding about a line of a source, counted from 1."""
    line += source.above
    return Finding(check="lint", severity=severity, message=message, remedy=remedy, file=source.file, line=line)


def sources_by_file(package: Package) -> Mapping[str, Source]:
    """Map the file that each part has, or would have, to the source where it is written."""
    _, parts = _parts_of(package)
    known = {f"submissions/{each.verdict}/{each.name}.py": each.source for each in parts.submissions}
    return {FILE_OF_KEY[key]: source for key, source in parts.sources.items()} | known


def relocate(finding: Finding, sources: Mapping[str, Source]) -> Finding:
    """Point the finding to the line of `problem.yaml` if its file is a value there. The key precedes the message."""
    source = sources.get(finding.file or "")
    if source is None or source.file == finding.file:
        return finding
    line = source.above + (finding.line or 1)
    message = f"{source.key}: {finding.message}"
    return finding.model_copy(update={"file": source.file, "line": line, "message": message})


def _parts_of(package: Package) -> tuple[Document, Parts]:
    texts = {path: content.decode() for path, content in package.files.items()}
    document = read_document(MANIFEST_FILE, texts[MANIFEST_FILE], is_value=is_case_value)
    return document, gather(texts, document, frozenset())
