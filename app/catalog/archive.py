"""Read a package from an upload: a zip archive of its folder, or a single YAML file. Nothing is unpacked to disk.

An archive may be hostile. One bad entry, such as a link or a path outside the package, makes the whole archive
invalid. Declared sizes are checked but not trusted: reading stops at the limits of a package.
"""

import re
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from app.catalog.fault import Fault, PackageInvalid
from app.catalog.folder import (
    MANIFEST_FILE,
    MAX_FILE_BYTES,
    MAX_FILES,
    MAX_TOTAL_BYTES,
    is_left_by_tools,
    size_fault,
    total_fault,
)

# Room for a package of incompressible text and the archive's own headers.
MAX_UPLOAD_BYTES = MAX_TOTAL_BYTES + 2**20
# Folders and files left by tools count too.
MAX_ENTRIES = 4 * MAX_FILES
MAX_NAME = 200

_SIGNATURE = b"PK"
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)
_ENCRYPTED = 0x1
_JUNK = re.compile(r"(^|/)(__MACOSX|Thumbs\.db|desktop\.ini)(/|$)")
_DRIVE = re.compile(r"[A-Za-z]:")
_TYPES = {stat.S_IFREG, stat.S_IFDIR, 0}
_PACK_AGAIN = "zip the problem's folder again"


def read_upload(slug: str, body: bytes) -> dict[str, bytes]:
    """Return the files of a package by path. Raises PackageInvalid if the archive itself is invalid."""
    if not body:
        raise PackageInvalid(slug, [Fault("the upload", 0, "", "is empty", "send a zip archive or a YAML file")])
    return read_archive(slug, body) if body.startswith(_SIGNATURE) else {MANIFEST_FILE: body}


def read_archive(slug: str, body: bytes) -> dict[str, bytes]:
    """Return the files by path, without the one folder around them if there is one. Raises PackageInvalid."""
    try:
        with ZipFile(BytesIO(body)) as archive:
            entries = archive.infolist()
            if faults := [*_count_faults(entries)] or [*_entry_faults(entries)]:
                raise PackageInvalid(slug, faults)
            files = [entry for entry in entries if not entry.is_dir() and not _is_junk(entry.filename)]
            return _read_files(slug, archive, _by_path(slug, files))
    except (BadZipFile, UnicodeDecodeError, NotImplementedError, EOFError, ValueError, struct.error) as error:
        raise _unreadable(slug, error) from None


def top_folder(body: bytes) -> str:
    """Return the name of the one folder around all files of an archive, or an empty text."""
    try:
        with ZipFile(BytesIO(body)) as archive:
            entries = archive.infolist()[:MAX_ENTRIES]
    except (BadZipFile, UnicodeDecodeError, NotImplementedError, EOFError, ValueError, struct.error):
        return ""
    names = [entry.filename for entry in entries if not entry.is_dir() and not _is_junk(entry.filename)]
    return _common_folder(names).rstrip("/")


def write_archive(slug: str, files: Mapping[str, str]) -> bytes:
    """Return a zip of the package's folder; the same files give the same bytes."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for path, text in sorted(files.items()):
            entry = ZipInfo(f"{slug}/{path}", _FIRST_DAY)
            entry.compress_type = ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, text)
    return buffer.getvalue()


def _unreadable(slug: str, error: Exception) -> PackageInvalid:
    words = re.sub(r"\s+", " ", str(error))[:MAX_NAME] or type(error).__name__
    return PackageInvalid(slug, [Fault("the archive", 0, "", f"can't be read as zip: {words}", _PACK_AGAIN)])


def _count_faults(entries: list[ZipInfo]) -> Iterator[Fault]:
    if len(entries) > MAX_ENTRIES:
        message = f"has {len(entries)} entries, but at most {MAX_ENTRIES} are allowed"
        yield Fault("the archive", 0, "", message, f"remove some: a package has at most {MAX_FILES} files")


def _entry_faults(entries: Iterable[ZipInfo]) -> Iterator[Fault]:
    for entry in entries:
        for message, remedy in (_name_refusal(entry), _kind_refusal(entry)):
            if message:
                yield Fault(_shown(entry.orig_filename), 0, "", message, remedy)
                break


def _name_refusal(entry: ZipInfo) -> tuple[str, str]:
    """Return what is wrong with the entry's path, and the remedy; two empty texts if it is valid."""
    name = entry.orig_filename
    parts = name.rstrip("/").split("/")
    if not name.isprintable():
        return "has a name with control characters", "rename it"
    if len(name) > MAX_NAME:
        return f"has a name of {len(name)} characters, but {MAX_NAME} are allowed", "shorten it"
    if name.startswith("/") or _DRIVE.match(name):
        return "is an absolute path", f"{_PACK_AGAIN}, with paths inside it"
    if "\\" in name:
        return "has a backslash in its name", "write paths with /, as zip has them"
    if ".." in parts:
        return "points outside the package", "remove the entry"
    if "" in parts or "." in parts:
        return "has an empty part in its path", _PACK_AGAIN
    return "", ""


def _kind_refusal(entry: ZipInfo) -> tuple[str, str]:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link", "put the file itself into the archive"
    if kind not in _TYPES:
        return "is not a plain file", "remove it"
    if entry.flag_bits & _ENCRYPTED:
        return "is encrypted", "make an archive without a password"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return f"is compressed by method {entry.compress_type}", "use deflate, which every zip program has"
    return "", ""


def _is_junk(path: str) -> bool:
    return _JUNK.search(path) is not None or is_left_by_tools(path)


def _by_path(slug: str, entries: list[ZipInfo]) -> dict[str, ZipInfo]:
    prefix = _common_folder([entry.filename for entry in entries])
    by_path: dict[str, ZipInfo] = {}
    faults: list[Fault] = []
    for entry in entries:
        path = entry.filename.removeprefix(prefix)
        if path in by_path:
            faults.append(Fault(path, 0, "", "is in the archive twice", "remove one of the two"))
        by_path[path] = entry
        faults += filter(None, [size_fault(path, entry.file_size)])
    faults += filter(None, [total_fault(len(by_path), sum(entry.file_size for entry in entries))])
    if faults:
        raise PackageInvalid(slug, faults)
    return by_path


def _common_folder(names: list[str]) -> str:
    """Return `scaled_sum/` if all files are in that folder, or an empty text."""
    top, slash, _ = names[0].partition("/") if names else ("", "", "")
    return top + slash if slash and all(name.startswith(top + slash) for name in names) else ""


def _read_files(slug: str, archive: ZipFile, by_path: Mapping[str, ZipInfo]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for path, entry in by_path.items():
        try:
            with archive.open(entry) as file:
                content = file.read(MAX_FILE_BYTES + 1)
        except (BadZipFile, zlib.error, EOFError) as error:
            raise PackageInvalid(slug, [Fault(path, 0, "", f"is damaged: {error}", _PACK_AGAIN)]) from None
        # The reader stops at `file_size`, which the checks above limit, even if it is wrong.
        files[path] = content
    return files


def _shown(name: str) -> str:
    printable = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name)
    return printable if len(printable) <= MAX_NAME else printable[:MAX_NAME] + "…"
