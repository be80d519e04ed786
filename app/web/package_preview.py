"""The student view of a package while its author types, also of one with faults.

Each part that can be read is shown, and each fault stands at the part that it is about. A package without faults is
shown as students will see it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from sqlalchemy.orm import Session

from app.catalog.case import is_case_value
from app.catalog.fault import Fault
from app.catalog.figure import figures_of
from app.catalog.folder import MANIFEST_FILE, read_texts
from app.catalog.manifest import Question
from app.catalog.package import Package
from app.catalog.part import gather
from app.catalog.publish import find_current
from app.catalog.query import Previews, ProblemDetail, preview_problem, read_previews
from app.catalog.yaml_document import Document, read_document
from app.database.engine import storable
from app.web.package_form import PackageForm
from app.web.render import render_text

# What the outputs of the samples depend on, besides the manifest.
CODE = ("reference.py", "cases.py", "arguments.py", "driver.py")
HEAD = ("title", "summary", "difficulty", "estimated_minutes", "tags")
PARTS = ("statement", "hints", "quiz", "editorial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The readable parts of the package. `problem` is None while it has faults, which are grouped by their part."""

    title: str
    summary: str
    statement: str
    hints: tuple[str, ...]
    quiz: tuple[Question, ...]
    editorial: str
    figures: Mapping[str, str]
    problem: ProblemDetail | None
    faults: Mapping[str, tuple[Fault, ...]]


def render_preview(session: Session, form: PackageForm, package: Package | None, faults: Sequence[Fault]) -> str:
    """Return a page. `package` and `faults` are those of the form."""
    draft = _read(form, faults, preview_problem(package, _find_previews(session, package)) if package else None)
    return render_text("author/preview.html", {"draft": draft})


def _find_previews(session: Session, package: Package) -> Previews:
    """Return the samples' values of the current revision, if the package's samples have the same ones."""
    revision = find_current(session, storable(package.slug))
    files = {path: content.decode() for path, content in package.files.items()}
    if revision is None or CODE[0] not in files or any(revision.files.get(path) != files.get(path) for path in CODE):
        return {}
    before = {case["name"]: case for case in revision.manifest["cases"]}
    same = [case.name for case in package.manifest.cases if case.model_dump(mode="json") == before.get(case.name)]
    known = read_previews(session, revision.id)
    return {name: known[name] for name in same if name in known}


def _read(form: PackageForm, faults: Sequence[Fault], problem: ProblemDetail | None) -> Draft:
    texts, _refused = read_texts({file.path: file.text.encode(errors="replace") for file in form.files})
    document = _read_manifest(texts)
    content = document.content or {}
    parts = gather(texts, document, frozenset())
    statement, editorial = parts.text("statement") or "", parts.text("editorial") or ""
    return Draft(
        title=_text(content.get("title")) or form.slug,
        summary=_text(content.get("summary")),
        statement=statement,
        hints=tuple(filter(None, map(_text, _items(content.get("hints"))))),
        quiz=tuple(question for item in _items(content.get("quiz")) if (question := _question(item))),
        editorial=editorial,
        figures=figures_of(texts, f"{statement}\n{editorial}"),
        problem=problem,
        faults={part: tuple(each for each in faults if _part_of(each) == part) for part in ("", "head", *PARTS)},
    )


def _read_manifest(texts: Mapping[str, str]) -> Document:
    return (
        read_document(MANIFEST_FILE, texts[MANIFEST_FILE], is_value=is_case_value)
        if MANIFEST_FILE in texts
        else Document("", None, {}, ())
    )


def _part_of(fault: Fault) -> str:
    """Return the part that shows the fault, or an empty text for the code, the cases and the rest."""
    name = fault.key if fault.file == MANIFEST_FILE else fault.file
    if fault.file == MANIFEST_FILE and any(name.startswith(key) for key in HEAD):
        return "head"
    return next((part for part in PARTS if name.startswith(part)), "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _items(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _question(item: object) -> Question | None:
    try:
        return Question.model_validate(item)
    except ValidationError:
        return None
