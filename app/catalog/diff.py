"""Compare two packages, file by file and line by line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import islice
from typing import Literal

Change = Literal["added", "removed", "changed"]
Kind = Literal["added", "removed", "same", "skipped"]

# Files with more lines are not compared: the time grows faster than the square of the lines.
MAX_LINES = 1500
# An added file with more lines is not shown. A comparison of packages shows no more characters, MARKUP for each line
# included: a package may have 4 million lines.
MAX_SHOWN_LINES = 10_000
MAX_SHOWN = 1_500_000
MARKUP = 100
# Equal lines shown around each difference.
AROUND = 3
NO_END = "  (no line end)"
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with its old and new number, None on the side that lacks it. A gap has the numbers of the next line."""

    kind: Kind
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDifference:
    """`lines` has the changed lines with 3 around them. `is_whole` is False if the file was too long to compare."""

    path: str
    change: Change
    lines: tuple[Line, ...]
    is_whole: bool = True

    @property
    def added(self) -> int:
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "removed" for line in self.lines)


def compare_packages(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[FileDifference, ...]:
    """Return the files that differ, problem.yaml first. Files beyond MAX_SHOWN characters have no lines."""
    paths = sorted(old.keys() | new.keys(), key=lambda path: (path != "problem.yaml", path))
    found: list[FileDifference] = []
    left = MAX_SHOWN
    for path in paths:
        if old.get(path) != new.get(path):
            file = compare_file(path, old.get(path), new.get(path))
            size = sum(len(line.text) + MARKUP for line in file.lines)
            found.append(file if size <= left else replace(file, lines=(), is_whole=False))
            left -= size if size <= left else 0
    return tuple(found)


def compare_file(path: str, old: str | None, new: str | None) -> FileDifference:
    change: Change = "added" if old is None else "removed" if new is None else "changed"
    before, after = _split(old), _split(new)
    start, end = _same_ends(before, after)
    before, after = before[start : len(before) - end], after[start : len(after) - end]
    if max(len(before), len(after)) > (MAX_LINES if change == "changed" else MAX_SHOWN_LINES):
        return FileDifference(path=path, change=change, lines=(), is_whole=False)
    return FileDifference(path=path, change=change, lines=tuple(_lines(before, after, start)))


def _split(text: str | None) -> list[str]:
    """Split into lines. A last line without a line end gets a mark, so that it differs from one with it."""
    if text is None:
        return []
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else [*lines[:-1], lines[-1] + NO_END]


def _same_ends(before: Sequence[str], after: Sequence[str]) -> tuple[int, int]:
    """Return how many equal lines at the start and end are too far from any difference to be shown."""
    most = min(len(before), len(after))
    start = next((i for i in range(most) if before[i] != after[i]), most)
    end = next((i for i in range(most - start) if before[-1 - i] != after[-1 - i]), most - start)
    return max(start - AROUND, 0), max(end - AROUND, 0)


def _lines(before: Sequence[str], after: Sequence[str], start: int) -> Iterator[Line]:
    # The first two lines name the files.
    diff = islice(unified_diff(before, after, n=AROUND, lineterm=""), 2, None)
    return _numbered(diff, start)


def _numbered(diff: Iterator[str], start: int) -> Iterator[Line]:
    old = new = 0
    for text in diff:
        if hunk := _HUNK.match(text):
            old, new = start + int(hunk[1]), start + int(hunk[2])
            if max(old, new) > 1:
                yield Line("skipped", old, new, "")
        elif text.startswith("+"):
            yield Line("added", None, new, text[1:])
            new += 1
        elif text.startswith("-"):
            yield Line("removed", old, None, text[1:])
            old += 1
        else:
            yield Line("same", old, new, text[1:])
            old, new = old + 1, new + 1
