"""A file: the function gets a path, and the answer is what it wrote there."""

import json
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sandbox.guest.answers.case import Case


def call(solution: Callable[..., object], case: Case) -> object:
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / case.options["name"]
        given = replace(case, made={case.options["path"]: str(path)})
        solution(*given.arguments().values())
        if not path.is_file():
            raise FileNotFoundError(f"the function wrote no file at {case.options['path']}: {_found(folder)}")
        return READERS[case.options["read"]](path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _found(folder: Path) -> str:
    names = sorted(path.name for path in folder.iterdir())[:5]
    return f"its folder has {', '.join(names)}" if names else "its folder is empty"


def _arrays(path: Path) -> dict[str, Any]:
    with np.load(path, allow_pickle=False) as archive:
        return {name: archive[name] for name in archive.files}


READERS: dict[str, Callable[[Path], Any]] = {
    "bytes": Path.read_bytes,
    "text": lambda path: path.read_text(encoding="utf-8"),
    "json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    "npy": lambda path: np.load(path, allow_pickle=False),
    "npz": _arrays,
}
