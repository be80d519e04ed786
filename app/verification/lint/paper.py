"""A package as its readers see it: texts with their places, and where each key of the manifest stands."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.catalog.fault import Location
from app.catalog.folder import MANIFEST_FILE
from app.catalog.package import Package
from app.catalog.part import Known, gather
from app.catalog.source import Source
from app.catalog.verification_report import Finding, Severity
from app.catalog.yaml_document import Document, read_document
from app.worker.prepare import PreparedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """`sources`: the texts and code by their keys."""

    package: Package
    document: Document
    sources: Mapping[str, Source]
    submissions: tuple[Known, ...]
    cases: Sequence[PreparedCase]

    def public_texts(self) -> Iterator[Source]:
        """All that a student reads before solving the problem."""
        for key in ("statement", "starter"):
            yield self.sources[key]
        manifest = self.package.manifest
        yield self.text(("summary",), manifest.summary)
        for index, hint in enumerate(manifest.hints):
            yield self.text(("hints", index), hint)
        for index, question in enumerate(manifest.quiz):
            yield self.text(("quiz", index), "\n".join([question.question, *question.choices]))
        for index, parameter in enumerate(manifest.parameters):
            yield self.text(("parameters", index), parameter.doc or "")
        for index, given in enumerate(manifest.inputs or ()):
            yield self.text(("inputs", index), given.doc or "")

    def text(self, where: Location, text: str) -> Source:
        """A value of the manifest; each of its lines counts as the one that the value begins in."""
        return Source(text.replace("\n", " "), self.document.file, self.document.line_of(where) - 1)

    def finding(self, severity: Severity, where: Location, message: str, remedy: str) -> Finding:
        """About a key of the manifest."""
        line = self.document.line_of(where) if where else None
        file = self.document.file
        return Finding(check="lint", severity=severity, message=message, remedy=remedy, file=file, line=line)


def read_paper(package: Package, cases: Sequence[PreparedCase]) -> Paper:
    texts = {path: content.decode() for path, content in package.files.items()}
    document = read_document(MANIFEST_FILE, texts[MANIFEST_FILE])
    parts = gather(texts, document, frozenset())
    return Paper(package=package, document=document, sources=parts.sources, submissions=parts.submissions, cases=cases)


def at(source: Source, line: int, severity: Severity, message: str, remedy: str) -> Finding:
    """About a line of a text, counted from 1."""
    place = source.above + line
    return Finding(check="lint", severity=severity, message=message, remedy=remedy, file=source.file, line=place)
