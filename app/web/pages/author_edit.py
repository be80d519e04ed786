"""The package editor: files, their faults by line, and verification.

It works as a plain form without scripts: every button sends all files, and the response contains all typed text.
"""

import secrets
from dataclasses import replace
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import HTMLResponse, JSONResponse
from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.api.response_headers import with_styles
from app.authoring.availability import AvailabilityWish, prepare
from app.authoring.query import get_readable_verification, view_verification
from app.authoring.send import Sending, send
from app.catalog.access import require_editable
from app.catalog.archive import top_folder
from app.catalog.fault import Fault, PackageInvalid, with_remedy
from app.catalog.folder import MANIFEST_FILE, digest
from app.catalog.model import Availability, Revision
from app.catalog.new_package import write_like, write_template
from app.catalog.publish import find_current, get_revision
from app.catalog.verification_report import Finding
from app.database.engine import storable
from app.errors import Conflict, Invalid, LimitReached, NotFound, Outdated, ProblemNotFound
from app.validation import read_fields
from app.web.address import read_slug
from app.web.audience import find_audience, list_audiences, read_audience
from app.web.package_form import KNOWN_FILES, MAX_FAULTS, FormFile, PackageForm, SentForm
from app.web.package_preview import render_preview
from app.web.permission import Author
from app.web.render import HEADERS, render_text
from app.web.visit import CurrentVisit, Visit, require_own_origin, see_other

router = APIRouter(prefix="/author")

_FORM = [Depends(require_own_origin)]
# How many faults stand in the list above the files. Each also stands at its line.
MAX_LISTED = 3
# What a new problem can be.
AT_FIRST: tuple[Availability, ...] = ("draft", "unlisted", "listed", "course")
SCHEMA = "/schema/problem.json"


@router.get("/edit")
def open_editor(
    visit: CurrentVisit,
    author: Author,
    problem: str = "",
    revision: Annotated[int, Query(ge=0)] = 0,
    verification: UUID | None = None,
    like: str = "",
    file: str = MANIFEST_FILE,
    line: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Open a revision's files, the files of a verification at a line, or a new package, also `like` a problem."""
    if verification is not None:
        form = replace(_of_verification(visit, author, verification), opened=file, opened_line=line)
    elif problem:
        form = _of_revision(visit, author, read_slug(problem), revision)
    else:
        form = PackageForm().with_files(_begin(visit, author, like.strip()))
    return _show(visit, author, form)


@router.post("/edit", dependencies=_FORM)
def send_editor(visit: CurrentVisit, author: Author, form: SentForm) -> Response:
    """Handle the editor's buttons. `action` is add, remove N, publish, or check for a copy of the browser's."""
    word, _space, number = form.action.partition(" ")
    if word == "add":
        return _add(visit, author, form)
    if word == "remove":
        kept = tuple(file for index, file in enumerate(form.files) if str(index) != number)
        return _show(visit, author, replace(form, files=kept))
    if word == "publish":
        return _publish(visit, author, form)
    return _show(visit, author, form)


@router.post("/upload", dependencies=_FORM)
def open_upload(visit: CurrentVisit, author: Author, form: SentForm) -> Response:
    """Show the uploaded files in the editor. Nothing is stored yet."""
    slug = form.slug or top_folder(form.upload) or form.upload_name.partition(".")[0]
    with visit.transaction() as session:
        require_editable(session, author.id, slug)
        current = None if form.is_new else find_current(session, storable(slug))
    form = replace(form, slug=slug, base=current.digest if current else "")
    try:
        return _show(visit, author, form.unpacked())
    except PackageInvalid as refused:
        return _show(visit, author, form, found=refused.problems, status=422)


@router.post("/preview", dependencies=_FORM)
def preview(visit: CurrentVisit, author: Author, form: SentForm) -> Response:  # noqa: ARG001
    """Show the student view of the files as a page of its own, for browsers without scripts."""
    with visit.transaction() as session:
        page = render_preview(session, form, *form.checked())
    return HTMLResponse(page, headers=HEADERS)


@router.post("/check", dependencies=_FORM)
def check(visit: CurrentVisit, author: Author, form: SentForm) -> Response:  # noqa: ARG001
    """Check the files for the page's script while the author types. With the action `preview`, show them too."""
    package, faults = form.checked()
    found = [{"file": fault.file, "line": fault.line, "text": text_of(fault)} for fault in faults]
    with visit.transaction() as session:
        revision = _other_revision(session, form)
        page = render_preview(session, form, package, faults) if form.action == "preview" else ""
    other = render_text("fragments/other_revision.html", {"form": form, "other": revision})
    answer = {
        "faults": found,
        "summary": summarise(form, faults),
        "other": other.strip(),
        "preview": page,
        "digest": digest(package.files) if package else "",
    }
    return JSONResponse(answer, headers=HEADERS)


def text_of(fault: Fault) -> str:
    return f"{fault.key + ' ' if fault.key else ''}{with_remedy(fault.message, fault.remedy)}"


def summarise(form: PackageForm, faults: tuple[Fault, ...]) -> str:
    if not faults and form.verification:
        return "The verification has findings. Fix them, and publish again."
    if not faults:
        return "The files are valid. Publishing verifies them."
    if len(faults) >= MAX_FAULTS:
        return f"{MAX_FAULTS} or more errors."
    count = len(faults)
    return "1 error." if count == 1 else f"{count} errors."


def _publish(visit: Visit, author: Viewer, form: PackageForm) -> Response:
    """Send the files to verification, which publishes them if all checks pass."""
    package, faults = form.checked()
    if package is None:
        return _show(visit, author, form, status=422, found=faults)
    if not form.slug:
        return _show(visit, author, form, message="Enter a slug for the new problem.", status=422)
    try:
        wish = read_fields(AvailabilityWish, read_audience(form.availability)) if form.is_new else None
        sending = Sending(
            user_id=author.id, package=package, publish=True, availability=wish.availability if wish else None
        )
        with visit.transaction() as session:
            if wish:
                prepare(session, author, form.slug, wish)
            verification = send(session, replace(sending, replaces=_replaced(session, form)))
    except LimitReached as refusal:
        return _show(visit, author, form, message=str(refusal), status=429)
    except Outdated:
        return _show(visit, author, form, status=412)
    except (Conflict, Invalid) as refusal:
        return _show(visit, author, form, message=str(refusal), status=422)
    return see_other(f"/author/verifications/{verification.id}")


def _add(visit: Visit, author: Viewer, form: PackageForm) -> Response:
    """Add an empty file of that name, or the uploaded file."""
    path = form.new_path or form.upload_name
    if not path:
        return _show(visit, author, form, message="Enter a file name or choose a file.", status=422)
    if path in [file.path for file in form.files]:
        return _show(visit, author, form, message=f"The file {path} already exists.", status=422)
    try:
        text = form.upload.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        return _show(
            visit, author, form, message=f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8.", status=422
        )
    return _show(visit, author, replace(form, files=(*form.files, FormFile(path, text)), new_path="", opened=path))


def _show(
    visit: Visit,
    author: Viewer,
    form: PackageForm,
    *,
    message: str = "",
    status: int = 200,
    found: tuple[Fault, ...] | None = None,
) -> Response:
    """Render the editor. `found` are the faults, if they are already known."""
    faults = form.checked()[1] if found is None else found
    nonce = secrets.token_urlsafe(16)
    context = {"form": form, "message": message, "nonce": nonce, **_by_file(form, faults)}
    with visit.transaction() as session:
        context |= {"other": _other_revision(session, form), "findings": _findings(session, author, form)}
        context["audiences"] = list_audiences(session, author, AT_FIRST)
    page = visit.render("author/edit.html", context, status)
    page.headers["Content-Security-Policy"] = with_styles(nonce)
    return page


def _by_file(form: PackageForm, faults: tuple[Fault, ...]) -> dict[str, Any]:
    """Group the faults by the form's files."""
    paths = {file.path for file in form.files}
    return {
        "faults": {path: [fault for fault in faults if fault.file == path] for path in paths},
        "listed": faults[:MAX_LISTED],
        "more": len(faults[MAX_LISTED:]),
        "summary": summarise(form, faults),
        "text_of": text_of,
        "missing": [path for path in KNOWN_FILES if path not in paths],
    }


def _of_revision(visit: Visit, author: Viewer, slug: str, number: int) -> PackageForm:
    """Open a revision; number 0 is the current one. Raises NotFound."""
    with visit.transaction() as session:
        require_editable(session, author.id, slug)
        current = find_current(session, slug)
        revision = current if not number and current else get_revision(session, slug, number)
    base = current.digest if current else ""
    return PackageForm(slug=slug, base=base, is_new=False).with_files(revision.files)


def _of_verification(visit: Visit, author: Viewer, verification_id: UUID) -> PackageForm:
    """Raises NotFound."""
    with visit.transaction() as session:
        row = get_readable_verification(session, author.id, verification_id, with_files=True)
        current = find_current(session, row.slug)
        availability = find_audience(session, row.slug) if row.availability == "course" else row.availability
    base = current.digest if current else ""
    shown = str(row.id) if row.verdict == "refused" else ""
    form = PackageForm(slug=row.slug, base=base, is_new=current is None, verification=shown)
    return replace(form, availability=availability or "listed", sent=row.digest).with_files(row.files)


def _other_revision(session: Session, form: PackageForm) -> Revision | None:
    """Find the problem's current revision, if the form is based on another one and its author did not send it."""
    current = find_current(session, storable(form.slug))
    return current if current and current.digest not in (form.base, form.sent) else None


def _replaced(session: Session, form: PackageForm) -> str:
    """Return the digest of the revision that the form may replace."""
    current = find_current(session, storable(form.slug))
    is_own = current is not None and current.digest == form.sent
    return form.overwrite or (form.sent if is_own else form.base)


def _findings(session: Session, author: Viewer, form: PackageForm) -> list[Finding]:
    """Return the errors and warnings of the files' last verification."""
    try:
        view = view_verification(session, get_readable_verification(session, author.id, UUID(form.verification)))
    except (ValueError, NotFound):
        return []
    return [finding for finding in view.report.findings if finding.severity != "note"] if view.report else []


def _begin(visit: Visit, author: Viewer, other: str) -> dict[str, str]:
    """Return the files of a new package: the template, or like another problem. Raises NotFound."""
    if not other:
        return write_template("New problem", SCHEMA)
    with visit.transaction() as session:
        require_editable(session, author.id, other)
        current = find_current(session, read_slug(other))
    if current is None:
        raise ProblemNotFound(other)
    return write_like(other, current.files, "New problem", SCHEMA)
