"""A file: the function gets a path, and the answer is what it wrote there."""

import json
import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.npyio import NpzFile

from sandbox.guest.answers.driver_case import DriverCase


def call(solution: Callable[..., object], case: DriverCase) -> object:
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / case.options["name"]
        given = case.with_inputs(**{case.options["path"]: str(path)})
        solution(*given.arguments().values())
        if not path.is_file():
            raise FileNotFoundError(f"the function wrote no file at {case.options['path']}: {_found(path)}")
        return _read(path, case.options["read"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _found(path: Path) -> str:
    if os.path.lexists(path):
        return "a folder, a pipe or a broken link is there"
    names = sorted(other.name for other in path.parent.iterdir())[:5]
    return f"its folder has {', '.join(names)}" if names else "its folder is empty"


def _read(path: Path, form: str) -> Any:
    try:
        return READERS[form](path)
    except (ValueError, OSError, EOFError, RecursionError, zipfile.BadZipFile) as error:
        cause = str(error).rstrip(".")
        raise ValueError(f"the file can't be read as {form}: {cause}; write it with {WRITERS[form]}") from None


def _array(path: Path) -> Any:
    value = np.load(path, allow_pickle=False)
    if isinstance(value, NpzFile):
        raise ValueError("it is an archive of arrays")
    return value


def _arrays(path: Path) -> dict[str, Any]:
    archive = np.load(path, allow_pickle=False)
    if not isinstance(archive, NpzFile):
        raise ValueError("it is a single array")
    with archive:
        return {name: archive[name] for name in archive.files}


READERS: dict[str, Callable[[Path], Any]] = {
    "bytes": Path.read_bytes,
    "text": lambda path: path.read_text(encoding="utf-8"),
    "json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    "npy": _array,
    "npz": _arrays,
}
WRITERS = {
    "bytes": 'open(path, "wb")',
    "text": 'open(path, "w", encoding="utf-8")',
    "json": "json.dump",
    "npy": "np.save",
    "npz": "np.savez",
}
