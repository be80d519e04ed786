"""The sections that every statement has."""

import re
from collections.abc import Iterator

from app.catalog.verification_report import Finding
from app.verification.lint.paper import Paper, at

SECTIONS = ("Why this matters", "Worked example", "Common pitfalls", "Problem", "Inputs", "Output")
HEADING = re.compile(r"^##\s+(.+?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")


def find(paper: Paper) -> Iterator[Finding]:
    source = paper.sources["statement"]
    found = list(_headings(source.text))
    names = [name for name, _, _ in found]
    for section in SECTIONS:
        if section not in names:
            yield at(source, 1, "error", f"has no section `## {section}`", "write it: students look for it there")
    for name, line, is_empty in found:
        if name in SECTIONS and is_empty:
            yield at(source, line, "error", f"section {name} is empty", "write it")
    known = [name for name in names if name in SECTIONS]
    if len(set(known)) < len(known):
        yield at(source, 1, "warning", "has a section twice", "join the two")
    elif known != [section for section in SECTIONS if section in known]:
        yield at(source, 1, "warning", "has its sections in another order than other problems", ", ".join(SECTIONS))


def _headings(text: str) -> Iterator[tuple[str, int, bool]]:
    """Name, line, and whether nothing stands below it."""
    found: list[tuple[str, int]] = []
    filled: set[int] = set()
    in_fence = False
    for number, line in enumerate(text.split("\n"), start=1):
        in_fence ^= FENCE.match(line) is not None
        heading = None if in_fence else HEADING.match(line)
        if heading:
            found.append((heading[1], number))
        elif found and line.strip():
            filled.add(found[-1][1])
    yield from ((name, number, number not in filled) for name, number in found)
