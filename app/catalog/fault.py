"""Faults of a package, each with its place, its message and its remedy."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from app.errors import AllcloseError

Location = tuple[int | str, ...]
MAX_FAULTS_SHOWN = 100
MAX_KEY = 200
MAX_LENGTH = 80
MAX_LINES = 5
_INDEX = re.compile(r"\[\d+\]")


def with_remedy(message: str, remedy: str) -> str:
    """Join both: `is 0: write 1`. After a question mark, the remedy is a new sentence."""
    return f"{message} {remedy[:1].upper()}{remedy[1:]}" if message.endswith("?") else f"{message}: {remedy}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """A fault at a key of the manifest. `message` has the value and the limit, `remedy` what to do."""

    location: Location
    message: str
    remedy: str

    def within(self, *outer: int | str) -> "Conflict":
        """Return the conflict at a key inside this location."""
        return replace(self, location=(*outer, *self.location))


class Inconsistent(ValueError):
    """Values that are valid one by one, but not together. The models of a manifest raise it during validation."""

    def __init__(self, conflicts: Iterable[Conflict]) -> None:
        self.conflicts = tuple(conflicts)
        super().__init__("; ".join(f"{key_of(c.location)} {with_remedy(c.message, c.remedy)}" for c in self.conflicts))


@dataclass(frozen=True, slots=True)
class Fault:
    """A conflict with its place in a file. `line` counts from 1; 0 stands for the whole file."""

    file: str
    line: int
    key: str
    message: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.key + ' ' if self.key else ''}{with_remedy(self.message, self.remedy)}"


class PackageInvalid(AllcloseError):
    """The package is invalid. `problems` has all faults by file and line; the text shows the first 100."""

    def __init__(self, slug: str, faults: Iterable[Fault]) -> None:
        self.slug = slug
        self.problems = tuple(sorted(faults, key=lambda fault: (fault.file != "problem.yaml", fault.file, fault.line)))
        shown = [*map(str, self.problems[:MAX_FAULTS_SHOWN]), *(["…"] if len(self.problems) > MAX_FAULTS_SHOWN else [])]
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"package {slug} has {count}:", *(f"  {fault}" for fault in shown)]))


def merge_alike(faults: Iterable[Fault]) -> list[Fault]:
    """Return one fault for those that say the same of several items of a list.

    It is the first one, and names the lines of the others.
    """
    groups: dict[tuple[str, ...], list[Fault]] = {}
    for fault in faults:
        groups.setdefault((fault.file, _INDEX.sub("[]", fault.key), fault.message, fault.remedy), []).append(fault)
    return [_merge(*group) for group in groups.values()]


def _merge(first: Fault, *others: Fault) -> Fault:
    lines = [str(line) for line in dict.fromkeys(other.line for other in others) if line != first.line]
    if not lines:
        return first
    more = f" and {len(lines) - MAX_LINES} more" if len(lines) > MAX_LINES else ""
    noun = "line" if len(lines) == 1 else "lines"
    return replace(first, message=f"{first.message} (also {noun} {', '.join(lines[:MAX_LINES])}{more})")


def key_of(location: Location) -> str:
    """`("cases", 0, "inputs", "w")` → `cases[0].inputs.w`"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")[:MAX_KEY]


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean tolerance?`, or an empty text if no known word is similar."""
    if len(word) > MAX_LENGTH:
        return ""
    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {matches[0]}?" if matches else ""
