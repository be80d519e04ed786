"""A package in the form of the author's page. It keeps the typed text, also with errors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException

from app.catalog.access import require_editable
from app.catalog.archive import read_upload
from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import FILE_OF_KEY, MANIFEST_FILE, MAX_FILES, MAX_TOTAL_BYTES
from app.catalog.package import Package, package_from_files
from app.web.permission import Author
from app.web.visit import CurrentVisit

KNOWN_FILES = (MANIFEST_FILE, *FILE_OF_KEY.values())
NOT_NAMED_YET = "new_problem"
# The most characters of a name or an address.
MAX_WORD = 300
# Above the limits of a package, so that a package that is too large comes back with its fault and is not lost.
MAX_FIELDS = 10 * MAX_FILES
MAX_TEXT_BYTES = 2 * MAX_TOTAL_BYTES
# The most faults on the page.
MAX_FAULTS = 100


@dataclass(frozen=True, slots=True)
class FormFile:
    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageForm:
    """`base`: the digest of the revision that it is to replace, an empty text for none.

    `overwrite`: the digest of one that was published meanwhile, if its author chose to replace that all the same.
    `sent`: the digest of the files that its author sent last; a revision of them is no other author's.
    `verification`: the id of the one whose findings are shown beside the files, or empty. `is_new`: whether the slug
    can still be chosen. `availability`: a value of `audience.py`, for a new problem. `action` is the button that
    was pressed, and `opened` the file that the page shows, at `opened_line`.
    """

    slug: str = ""
    base: str = ""
    overwrite: str = ""
    sent: str = ""
    verification: str = ""
    is_new: bool = True
    availability: str = "draft"
    files: tuple[FormFile, ...] = ()
    action: str = ""
    new_path: str = ""
    opened: str = MANIFEST_FILE
    opened_line: int = 0
    upload: bytes = field(default=b"", repr=False)
    upload_name: str = ""

    def with_files(self, files: Mapping[str, str]) -> "PackageForm":
        return replace(self, files=tuple(FormFile(path, files[path]) for path in sorted(files, key=_place)))

    def checked(self) -> tuple[Package | None, tuple[Fault, ...]]:
        """Return the package, or its first MAX_FAULTS faults. A missing slug is not a fault."""
        if twice := [*_given_twice(self.files)]:
            return None, tuple(twice)
        try:
            files = {file.path: file.text.encode(errors="replace") for file in self.files}
            return package_from_files(self.slug or NOT_NAMED_YET, files), ()
        except PackageInvalid as invalid:
            return None, invalid.problems[:MAX_FAULTS]

    def unpacked(self) -> "PackageForm":
        """Return the form with the uploaded files. Raises PackageInvalid."""
        files = read_upload(self.slug or "package", self.upload)
        return self.with_files({path: _text(path, content) for path, content in files.items()})


async def read_package_form(request: Request, author: Author) -> PackageForm:  # noqa: ARG001 (others are not read)
    """Read the form without checks; `PackageForm.checked` makes them."""
    async with request.form(max_files=1, max_fields=MAX_FIELDS, max_part_size=MAX_TEXT_BYTES) as form:
        upload = form.get("upload")
        file = upload if isinstance(upload, UploadFile) else None
        return PackageForm(
            slug=_word(form, "slug"),
            base=_word(form, "base"),
            overwrite=_word(form, "overwrite"),
            sent=_word(form, "sent"),
            verification=_word(form, "verification"),
            is_new=_word(form, "is_new") == "yes",
            availability=_word(form, "availability") or "draft",
            files=tuple(_files(form)),
            action=_word(form, "action"),
            new_path=_word(form, "new_path"),
            upload=await file.read() if file else b"",
            upload_name=((file.filename if file else None) or "")[:MAX_WORD],
        )


def check_package_form(
    visit: CurrentVisit, author: Author, form: Annotated[PackageForm, Depends(read_package_form)]
) -> PackageForm:
    """Raises ProblemNotFound for a problem whose files the author may not read."""
    with visit.transaction() as session:
        require_editable(session, author.id, form.slug)
    return form


SentForm = Annotated[PackageForm, Depends(check_package_form)]


def _files(form: FormData) -> Iterable[FormFile]:
    paths, texts = form.getlist("path"), form.getlist("text")
    if len(paths) != len(texts):
        raise HTTPException(400, "the form is incomplete: each file needs a name and a text; send it again")
    for path, text in zip(paths, texts, strict=True):
        # Browsers send every line end as CR LF.
        yield FormFile(str(path).strip()[:MAX_WORD], str(text).replace("\r\n", "\n"))


def _word(form: FormData, name: str) -> str:
    value = form.get(name)
    return value.strip()[:MAX_WORD] if isinstance(value, str) else ""


def _text(path: str, content: bytes) -> str:
    """Decode a text. Raises PackageInvalid, since the editor can't show other bytes."""
    try:
        return content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        message = f"is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        raise PackageInvalid("package", [Fault(path, 0, "", message, "save the file as UTF-8")]) from None


def _given_twice(files: Iterable[FormFile]) -> Iterable[Fault]:
    seen: set[str] = set()
    for file in files:
        if file.path in seen:
            yield Fault(file.path, 0, "", "is the name of two files", "rename or remove one")
        seen.add(file.path)


def _place(path: str) -> tuple[int, str]:
    return (KNOWN_FILES.index(path) if path in KNOWN_FILES else len(KNOWN_FILES), path)
