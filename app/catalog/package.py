"""A problem package: a folder, or the same files from memory, read and checked as a whole."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.catalog.document import Document, read_document
from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import MANIFEST_FILE, read_folder, read_texts
from app.catalog.inspection import inspect
from app.catalog.manifest import MAX_SLUG, Manifest, is_slug
from app.catalog.part import Parts, gather
from app.catalog.reading import read_problem_file
from app.judging.verdicts import Verdict

__all__ = ["KnownSubmission", "Package", "PackageInvalid", "load_package", "load_packages", "package_from_files"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSubmission:
    """A solution that must get `verdict`. `name` is the file's, without `.py`."""

    verdict: Verdict
    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """`files` is what the package was read from, with line ends made `\\n`; `package_from_files` reads them again."""

    slug: str
    manifest: Manifest
    statement: str
    starter: str
    reference: str
    driver: str | None
    generators: str | None
    checker: str | None
    editorial: str | None
    submissions: tuple[KnownSubmission, ...]
    files: Mapping[str, bytes]


def load_package(folder: Path) -> Package:
    """Raises PackageInvalid, which names everything that is wrong."""
    slug = folder.resolve().name
    if not folder.is_dir():
        remedy = f"name the folder that holds {MANIFEST_FILE}"
        raise PackageInvalid(slug, [Fault(str(folder), 0, "", "is no folder", remedy)])
    contents = read_folder(folder)
    return _read(slug, contents.files, contents.faults)


def package_from_files(slug: str, files: Mapping[str, bytes]) -> Package:
    """Raises PackageInvalid, which names everything that is wrong."""
    return _read(slug, files, ())


def load_packages(root: Path) -> tuple[Package, ...]:
    """Every folder of `root` with a problem.yaml, by slug. Raises PackageInvalid for the first that is not valid."""
    return tuple(load_package(file.parent) for file in sorted(root.glob(f"*/{MANIFEST_FILE}")))


def _read(slug: str, files: Mapping[str, bytes], found: Iterable[Fault]) -> Package:
    texts, refused = read_texts(files)
    faults = [*found, *refused]
    if faults and not texts:
        raise PackageInvalid(slug, faults)
    unread = frozenset(fault.file for fault in faults)
    document = _document(texts, unread)
    problem, manifest_faults = read_problem_file(document)
    parts = gather(texts, document, unread)
    faults += [*_slug_faults(slug, document), *manifest_faults, *parts.faults, *inspect(parts, document)]
    if faults or problem is None:
        raise PackageInvalid(slug, faults)
    return _package(slug, problem, parts, texts)


def _document(texts: Mapping[str, str], unread: frozenset[str]) -> Document:
    if MANIFEST_FILE in texts:
        return read_document(MANIFEST_FILE, texts[MANIFEST_FILE])
    missing = Fault(MANIFEST_FILE, 0, "", "is missing", "write it; docs/problem-format.md has an example")
    return Document(MANIFEST_FILE, None, {}, () if MANIFEST_FILE in unread else (missing,))


def _slug_faults(slug: str, document: Document) -> list[Fault]:
    faults: list[Fault] = []
    if not is_slug(slug):
        message = f"is {slug!r}, which can't be a slug"
        remedy = f"use at most {MAX_SLUG} lower-case letters, digits, _ and -"
        faults.append(Fault(slug, 0, "the folder's name", message, remedy))
    prerequisites = (document.content or {}).get("prerequisites")
    if isinstance(prerequisites, list) and slug in prerequisites:
        where = ("prerequisites", prerequisites.index(slug))
        faults.append(document.fault(where, f"is {slug!r}, the problem itself", "remove it"))
    return faults


def _package(slug: str, problem: Manifest, parts: Parts, texts: Mapping[str, str]) -> Package:
    return Package(
        slug=slug,
        manifest=Manifest.model_construct(**{name: getattr(problem, name) for name in Manifest.model_fields}),
        statement=parts.sources["statement"].text,
        starter=parts.sources["starter"].text,
        reference=parts.sources["reference"].text,
        driver=parts.text("driver"),
        generators=parts.text("generators"),
        checker=parts.text("property"),
        editorial=parts.text("editorial"),
        submissions=tuple(
            KnownSubmission(verdict=Verdict(known.verdict), name=known.name, source=known.source.text)
            for known in parts.submissions
        ),
        files={path: text.encode() for path, text in texts.items()},
    )
