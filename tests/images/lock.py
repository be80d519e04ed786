"""Reads the lists of versions that images are built from."""

import re
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "sandbox" / "images"


def read_lock(flavour: str) -> dict[str, str]:
    """Version by normalised name. Raises ValueError for a line that pins nothing."""
    versions: dict[str, str] = {}
    for line in (FOLDER / f"{flavour}.txt").read_text().splitlines():
        text = line.split("#")[0].strip()
        if text.startswith("-r "):
            versions |= read_lock(text.removeprefix("-r ").removesuffix(".txt"))
        elif text:
            versions |= _read_pin(text)
    return versions


def _read_pin(text: str) -> dict[str, str]:
    found = re.fullmatch(r"([\w.-]+)={2,3}([\w.]+)", text)
    if found is None:
        raise ValueError(f"{text!r} pins no version")
    return {normalise(found[1]): found[2]}


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def public(version: str) -> str:
    """Return the version without its build, as in 2.13.0+cpu."""
    return version.split("+")[0]
