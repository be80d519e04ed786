"""Read a problem package from a folder or from memory, and check it as a whole.

`PackageInvalid` lists what is wrong: in the keys of `problem.yaml` or, if each is valid by itself, between them, and in
the other files. Code is checked without running it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from app.catalog.answers import ANSWERS, write_driver
from app.catalog.case import DRAWS, Array, Case, expand, is_case_value
from app.catalog.code_validation import list_code_faults
from app.catalog.fault import Fault, Location, PackageInvalid, merge_alike
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, digest, read_folder, read_texts
from app.catalog.manifest import (
    MAX_SLUG,
    Exercise,
    Limits,
    Manifest,
    ProblemFile,
    ProblemPart,
    Question,
    Tolerance,
    interpret,
    is_slug,
)
from app.catalog.manifest_validation import list_conflicts
from app.catalog.parameter import Input, Parameter, Returns
from app.catalog.part import Parts, gather
from app.catalog.rule_validation import kind_of
from app.catalog.sample_record import SampleRecord, find_sample_record
from app.catalog.validation_errors import explain
from app.catalog.yaml_document import Document, read_document
from app.judging.checkers import CHECKERS
from app.judging.efficiency import Efficiency
from app.judging.options import Margin
from app.judging.requirements import REQUIREMENTS
from app.judging.verdicts import Verdict

_MODELS: dict[str, type[BaseModel]] = {
    "parameters": Parameter,
    "inputs": Input,
    "returns": Returns,
    "tolerance": Tolerance,
    "limits": Limits,
    "exercise": Exercise,
    "efficiency": Efficiency,
    "parts": ProblemPart,
    "cases": Case,
    "quiz": Question,
}
STATEMENT = FILE_OF_KEY["statement"]
__all__ = [
    "KnownSubmission",
    "Package",
    "PackageInvalid",
    "find_readable_part",
    "load_package",
    "load_packages",
    "package_from_files",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSubmission:
    """A solution that must get `verdict`. `name` is the file's, without `.py`."""

    verdict: Verdict
    name: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """`files` are the files of the package with line ends `\\n`. `package_from_files` reads them again.

    `samples` is the record beside the folder that it was read from, if there is one.
    """

    slug: str
    manifest: Manifest
    statement: str
    starter: str
    reference: str
    driver: str | None
    arguments: str | None
    generators: str | None
    checker: str | None
    editorial: str | None
    submissions: tuple[KnownSubmission, ...]
    files: Mapping[str, bytes]
    samples: SampleRecord | None = None

    @property
    def runner(self) -> str | None:
        """The source of the driver that runs: the package's own or its kind of answer's. None for a plain function."""
        manifest = self.manifest
        own = write_driver(manifest.answer, manifest.entry_point, manifest.parameters, self.arguments)
        return self.driver or own

    @property
    def interpreted(self) -> "Package":
        """The package as a machine without a GPU judges it."""
        return replace(self, manifest=interpret(self.manifest, self.manifest.limits))


def load_package(folder: Path) -> Package:
    """Raises PackageInvalid."""
    slug = folder.resolve().name
    if not folder.is_dir():
        remedy = f"name the folder that holds {MANIFEST_FILE}"
        raise PackageInvalid(slug, [Fault(str(folder), 0, "", "is not a folder", remedy)])
    contents = read_folder(folder)
    package = _read(slug, contents.files, contents.faults)
    return replace(package, samples=find_sample_record(folder, digest(package.files)))


def package_from_files(slug: str, files: Mapping[str, bytes]) -> Package:
    """Raises PackageInvalid."""
    return _read(slug, files, ())


def find_readable_part(slug: str, files: Mapping[str, bytes], invalid: PackageInvalid) -> Package | None:
    """Return the package without its faulty files, to find its other faults at once. None if it needs one of them.

    A statement is replaced: no answer depends on it.
    """
    broken = {fault.file for fault in invalid.problems}
    kept = {path: content for path, content in files.items() if path not in broken}
    if STATEMENT in broken:
        kept[STATEMENT] = b"This statement can't be read."
    try:
        return package_from_files(slug, kept)
    except PackageInvalid:
        return None


def load_packages(root: Path) -> tuple[Package, ...]:
    """Load every folder of `root` with a problem.yaml, by slug. Raises PackageInvalid for the first invalid one."""
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
    faults += [
        *_slug_faults(slug, document),
        *manifest_faults,
        *parts.faults,
        *list_code_faults(parts, document, problem),
    ]
    if faults or problem is None:
        raise PackageInvalid(slug, merge_alike(faults))
    return _package(slug, problem, parts, texts)


def _document(texts: Mapping[str, str], unread: frozenset[str]) -> Document:
    if MANIFEST_FILE in texts:
        return read_document(MANIFEST_FILE, texts[MANIFEST_FILE], is_value=is_case_value)
    missing = Fault(MANIFEST_FILE, 0, "", "is missing", "write it; docs/problem-format.md has an example")
    return Document(MANIFEST_FILE, None, {}, () if MANIFEST_FILE in unread else (missing,))


def _slug_faults(slug: str, document: Document) -> list[Fault]:
    faults: list[Fault] = []
    if not is_slug(slug):
        message = f"{slug!r} can't be a slug"
        remedy = f"use at most {MAX_SLUG} lower-case letters, digits, _ and -"
        faults.append(Fault(slug, 0, "the name", message, remedy))
    prerequisites = (document.content or {}).get("prerequisites")
    if isinstance(prerequisites, list) and slug in prerequisites:
        where = ("prerequisites", prerequisites.index(slug))
        faults.append(document.fault(where, f"is {slug!r}, the problem itself", "remove it"))
    return faults


def _package(slug: str, problem: Manifest, parts: Parts, texts: Mapping[str, str]) -> Package:
    keys = {name: getattr(problem, name) for name in Manifest.model_fields}
    return Package(
        slug=slug,
        manifest=Manifest.model_construct(**keys | {"cases": expand(problem.cases)}),
        statement=parts.sources["statement"].text,
        starter=parts.sources["starter"].text,
        reference=parts.sources["reference"].text,
        driver=parts.text("driver"),
        arguments=parts.text("arguments"),
        generators=parts.text("generators"),
        checker=parts.text("property"),
        editorial=parts.text("editorial"),
        submissions=tuple(
            KnownSubmission(verdict=Verdict(known.verdict), name=known.name, source=known.source.text)
            for known in parts.submissions
        ),
        files={path: text.encode() for path, text in texts.items()},
    )


def read_problem_file(document: Document) -> tuple[ProblemFile | None, list[Fault]]:
    """Return the problem and its faults: of single keys, with None as the problem, or else those between the keys."""
    faults = list(document.faults)
    if document.content is None:
        return None, faults
    try:
        problem = ProblemFile.model_validate(document.content)
    except ValidationError as error:
        return None, [*faults, *explain(error, document, lambda where: _known_keys(document, where))]
    return problem, [*faults, *document.located(list_conflicts(problem))]


def _known_keys(document: Document, where: Location) -> Iterable[str]:
    model = _model_at(document, where)
    return [field.alias or name for name, field in model.model_fields.items()]


def _model_at(document: Document, where: Location) -> type[BaseModel]:
    if not where:
        return ProblemFile
    if where[:1] == ("tolerance",) and len(where) > 1:
        return Margin
    if where[:1] == ("checkers",):
        options = (document.content or {})["checkers"][str(where[1])]
        return _within(CHECKERS[options["checker"]], where[2:])
    if where[:1] == ("requirements",):
        kind = kind_of((document.content or {})["requirements"][int(where[1])])
        return _within(REQUIREMENTS[str(kind)], where[2:])
    if where[:1] == ("answer",):
        return _within(ANSWERS[(document.content or {})["answer"]["kind"]], where[1:])
    if where[2:3] == ("inputs",):
        value: Any = document.content
        for part in where:
            value = value[part]
        return DRAWS.get(value.get("draw"), Array)
    return _MODELS[str(where[0])]


def _within(model: type[BaseModel], where: Location) -> type[BaseModel]:
    """Return the model of these options, or of a mapping among them."""
    for key in where:
        if isinstance(key, int):
            continue
        annotation = model.model_fields[str(key)].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel))
    return model
