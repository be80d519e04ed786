"""A unified diff, line by line with what each does."""

from dataclasses import dataclass

from app.judging.text import printable

MAX_TEXT = 100_000
_KINDS = {"+": "added", "-": "removed", "@": "place"}


@dataclass(frozen=True, slots=True)
class DiffLine:
    kind: str
    text: str


def is_diff(text: str) -> bool:
    return text.startswith("--- ") and "\n+++ " in text


def diff_lines(text: str) -> list[DiffLine]:
    """Without the two that name the files."""
    lines = printable(text, MAX_TEXT).splitlines()
    return [DiffLine(_KINDS.get(line[:1], "same"), line) for line in lines[2:]]
