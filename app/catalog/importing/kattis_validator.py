"""The default output validator of Kattis packages, and the driver that compares printed words the same way."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.catalog.importing.package_writer import Notes
from app.catalog.importing.program import SourceFolder
from app.catalog.yaml_document import read_document

NUMBER = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
# Newer formats have the flags with the test data, in one of these files.
GROUP_FILES = ("data/test_group.yaml", "data/testdata.yaml", "data/secret/test_group.yaml", "data/secret/testdata.yaml")
GROUP_KEYS = ("output_validator_args", "output_validator_flags")
_TOLERANCES = {
    "float_tolerance": ("rtol", "atol"),
    "float_relative_tolerance": ("rtol",),
    "float_absolute_tolerance": ("atol",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Validator:
    """The default validator with its flags. `splits`: white space does not matter."""

    rtol: float = 0.0
    atol: float = 0.0
    reads_numbers: bool = False
    is_case_sensitive: bool = False
    splits: bool = True

    def words(self, text: str) -> Any:
        """Return what the driver returns for a program that prints this text."""
        shown = text if self.is_case_sensitive else text.lower()
        if not self.splits:
            return shown
        is_number = re.compile(NUMBER).fullmatch
        return [float(word) if self.reads_numbers and is_number(word) else word for word in shown.split()]


def read_validator(folder: SourceFolder, metadata: Mapping[str, Any], notes: Notes) -> Validator:
    is_custom = str(metadata.get("validation", "default")).startswith("custom")
    programs = [path for name in ("output_validators", "output_validator") for path in folder.under(name)]
    if is_custom or programs:
        notes.left_out.append("the package's own output validator: such programs do not map")
        notes.todo.append("write checker.py if several answers are right: without it, words are compared")
    flags = _flags(folder, metadata).split()
    return _read_flags(flags, notes)


def _flags(folder: SourceFolder, metadata: Mapping[str, Any]) -> str:
    found = metadata.get("validator_flags")
    for path in GROUP_FILES:
        if path in folder.paths:
            content = read_document(path, folder.text(path)).content or {}
            found = found or next((content[key] for key in GROUP_KEYS if key in content), None)
    return " ".join(map(str, found)) if isinstance(found, list) else str(found or "")


def _read_flags(flags: list[str], notes: Notes) -> Validator:
    known: dict[str, Any] = {}
    words = iter(flags)
    for word in words:
        if word == "case_sensitive":
            known["is_case_sensitive"] = True
        elif word == "space_change_sensitive":
            known["splits"] = False
        elif word in _TOLERANCES:
            epsilon = _number(next(words, ""))
            known |= dict.fromkeys(_TOLERANCES[word], epsilon) | {"reads_numbers": True}
        else:
            notes.left_out.append(f"the validator's flag {word}")
    if known.get("reads_numbers") and not known.get("splits", True):
        notes.left_out.append("the tolerance: it does not work together with the flag space_change_sensitive")
        known |= {"reads_numbers": False}
    if known.get("reads_numbers"):
        notes.todo.append(
            "check the tolerance: it applies to all numbers, also whole ones, "
            "and adds the absolute and the relative part"
        )
    return Validator(**known)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def write_driver(validator: Validator) -> str:
    return f'''"""Runs a program that reads standard input and prints; what it printed is the answer."""

import io
import re
import sys

READS_NUMBERS = {validator.reads_numbers}
IS_CASE_SENSITIVE = {validator.is_case_sensitive}
SPLITS = {validator.splits}
NUMBER = re.compile(r"{NUMBER}")


def run(solution, inputs):
    stdin, stdout = sys.stdin, sys.stdout
    sys.stdin = io.TextIOWrapper(io.BytesIO(inputs["stdin"].encode()), encoding="utf-8")
    sys.stdout = printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    try:
        solution()
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"the program ended with code {{end.code}}") from None
    finally:
        sys.stdin, sys.stdout = stdin, stdout
    return words(printed.buffer.getvalue().decode(errors="replace"))


def words(text):
    shown = text if IS_CASE_SENSITIVE else text.lower()
    if not SPLITS:
        return shown
    return [float(word) if READS_NUMBERS and NUMBER.fullmatch(word) else word for word in shown.split()]
'''
