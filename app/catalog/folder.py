"""The files of a package, from a folder or from memory, and the digest that identifies their content.

Reading turns line ends into `\n` and removes a byte-order mark, so the digest does not depend on the checkout.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from app.catalog.fault import Fault, nearest
from app.catalog.figure import figure_fault, is_figure
from app.judging.verdicts import Verdict

MANIFEST_FILE = "problem.yaml"
FILE_OF_KEY = {
    "statement": "statement.md",
    "starter": "starter.py",
    "reference": "reference.py",
    "driver": "driver.py",
    "arguments": "arguments.py",
    "generators": "cases.py",
    "property": "checker.py",
    "editorial": "editorial.md",
    "notes": "notes.md",
}
FILES = (MANIFEST_FILE, *FILE_OF_KEY.values())
# No known submission can aim for a judge error or a cancellation.
VERDICT_FOLDERS = tuple(verdict.value for verdict in Verdict if verdict not in (Verdict.JUDGE_ERROR, Verdict.CANCELLED))
MAX_FILES = 200
MAX_FILE_BYTES = 256 * 2**10
MAX_TOTAL_BYTES = 4 * 2**20
MAX_DEPTH = 3

_SUBMISSION = re.compile(r"submissions/([^/]+)/([a-z0-9_]{1,64})\.py")
_LEFT_BY_TOOLS = re.compile(r"(^|/)(\.(?!\.?(/|$))|__pycache__(/|$))|\.(pyc|orig|bak)$|~$")
_REMEDY_NAMES = (
    f"a package has {', '.join(FILES)}, figures/<name>.svg and submissions/<verdict>/<name>.py; rename or remove it"
)
# A part of every digest. If the recipe changes, every package gets a new digest.
_RECIPE = b"allclose package 1\n"


@dataclass(frozen=True, slots=True)
class Contents:
    """The readable files by path, and the faults of the others."""

    files: Mapping[str, bytes]
    faults: tuple[Fault, ...] = ()


def read_folder(folder: Path) -> Contents:
    """Read a folder without following links, so that a package can't show other files of the machine."""
    files: dict[str, bytes] = {}
    faults: list[Fault] = []
    for path, entry in _walk(folder, ""):
        if len(files) > MAX_FILES:
            break  # `read_texts` reports too many files
        if fault := _entry_fault(path, entry):
            faults.append(fault)
        else:
            files[path] = Path(entry.path).read_bytes()
    return Contents(files, tuple(faults))


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            path = prefix + entry.name
            if is_left_by_tools(path):
                continue
            if entry.is_dir(follow_symlinks=False) and path.count("/") < MAX_DEPTH - 1:
                yield from _walk(Path(entry.path), f"{path}/")
            else:
                yield path, entry


def is_left_by_tools(path: str) -> bool:
    """Whether the path is a hidden file, a cache or a backup, which packages ignore."""
    return _LEFT_BY_TOOLS.search(path) is not None


def _entry_fault(path: str, entry: os.DirEntry[str]) -> Fault | None:
    if entry.is_symlink():
        return Fault(path, 0, "", "is a symbolic link", "put the file itself into the package")
    if not entry.is_file(follow_symlinks=False):
        return Fault(path, 0, "", "is not a plain file", _REMEDY_NAMES)
    return size_fault(path, entry.stat(follow_symlinks=False).st_size)


def size_fault(path: str, size: int) -> Fault | None:
    if size <= MAX_FILE_BYTES:
        return None
    remedy = "make it smaller: draw large inputs in place of literals"
    return Fault(path, 0, "", f"has {size} bytes, but a file may have {MAX_FILE_BYTES}", remedy)


def total_fault(count: int, size: int) -> Fault | None:
    if count <= MAX_FILES and size <= MAX_TOTAL_BYTES:
        return None
    message = f"has {count} files with {size} bytes"
    remedy = f"remove some: a package may have {MAX_FILES} files with {MAX_TOTAL_BYTES} bytes in all"
    return Fault("the package", 0, "", message, remedy)


def read_texts(files: Mapping[str, bytes]) -> tuple[dict[str, str], list[Fault]]:
    """Return the files of a package as text, and a fault for every other file."""
    texts: dict[str, str] = {}
    faults: list[Fault] = []
    if fault := total_fault(len(files), sum(map(len, files.values()))):
        return {}, [fault]
    for path, content in sorted(files.items()):
        if is_left_by_tools(path):
            continue
        fault = _path_fault(path) or size_fault(path, len(content))
        text = fault or _decode(path, content)
        if isinstance(text, str) and is_figure(path):
            text = figure_fault(path, text) or text
        if isinstance(text, Fault):
            faults.append(text)
        else:
            texts[path] = text
    return texts, faults


def _path_fault(path: str) -> Fault | None:
    if path in FILES or is_figure(path):
        return None
    match = _SUBMISSION.fullmatch(path)
    if match is None:
        message = f"does not belong to a package{nearest(path, FILES)}"
        return Fault(path, 0, "", message, _REMEDY_NAMES)
    return verdict_fault(path, 0, "", match[1])


def verdict_fault(file: str, line: int, key: str, word: str) -> Fault | None:
    if word in VERDICT_FOLDERS:
        return None
    message = f"names the verdict {word!r}{nearest(word, VERDICT_FOLDERS)}"
    return Fault(file, line, key, message, f"use one of {', '.join(VERDICT_FOLDERS)}")


def _decode(path: str, content: bytes) -> str | Fault:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{content[error.start]:02x} at offset {error.start}"
        return Fault(path, line, "", message, "save the file as UTF-8")
    if "\0" in text:
        return Fault(path, text.count("\n", 0, text.index("\0")) + 1, "", "contains a NUL character", "remove it")
    return text


def digest_folder(folder: Path) -> str:
    """Return the digest of a package's folder without reading what its files mean. Empty if a file can't be read."""
    contents = read_folder(folder)
    texts, faults = read_texts(contents.files)
    return "" if contents.faults or faults else digest({path: text.encode() for path, text in texts.items()})


def digest(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 in hex of the paths and contents, in order of path.

    A length precedes each path and content, so that different packages never give the same bytes.
    """
    total = hashlib.sha256(_RECIPE)
    for path, content in sorted((path.encode(), content) for path, content in files.items()):
        for part in (path, content):
            total.update(len(part).to_bytes(8, "big"))
            total.update(part)
    return total.hexdigest()
