"""What is wrong with a package, said so that its author can mend it.

Guessing what a mistyped word was to be.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from app.errors import AllcloseError

Location = tuple[int | str, ...]
MAX_FAULTS_SHOWN = 100
MAX_KEY = 200


def with_remedy(message: str, remedy: str) -> str:
    """`is 0: write 1`; behind a question a sentence of its own."""
    return f"{message} {remedy[:1].upper()}{remedy[1:]}" if message.endswith("?") else f"{message}: {remedy}"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Something wrong at a place of the manifest. `message` holds the value and the limit, `remedy` what to do."""

    location: Location
    message: str
    remedy: str


class Inconsistent(ValueError):
    """Values that are fine one by one and do not fit together. Raised inside the validation of a manifest."""

    def __init__(self, conflicts: Iterable[Conflict]) -> None:
        self.conflicts = tuple(conflicts)
        super().__init__("; ".join(f"{key_of(c.location)} {with_remedy(c.message, c.remedy)}" for c in self.conflicts))


@dataclass(frozen=True, slots=True)
class Fault:
    """A conflict with its place in a file. `line` counts from 1; 0 when it concerns the whole file."""

    file: str
    line: int
    key: str
    message: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.key + ' ' if self.key else ''}{with_remedy(self.message, self.remedy)}"


class PackageInvalid(AllcloseError):
    """The package can't be used. `problems` is all that was found, by file and line; the text shows the first."""

    def __init__(self, slug: str, faults: Iterable[Fault]) -> None:
        self.slug = slug
        self.problems = tuple(sorted(faults, key=lambda fault: (fault.file != "problem.yaml", fault.file, fault.line)))
        shown = [*map(str, self.problems[:MAX_FAULTS_SHOWN]), *(["…"] if len(self.problems) > MAX_FAULTS_SHOWN else [])]
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n".join([f"package {slug} has {count}:", *(f"  {fault}" for fault in shown)]))


def key_of(location: Location) -> str:
    """`("cases", 0, "inputs", "w")` → `cases[0].inputs.w`"""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return text.removeprefix(".")[:MAX_KEY]


MAX_LENGTH = 80


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean tolerance?`, or nothing when no known word is near."""
    if len(word) > MAX_LENGTH:
        return ""
    matches = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {matches[0]}?" if matches else ""
