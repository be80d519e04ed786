"""The difference between two submissions to the same problem, by line and by word."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby, zip_longest
from typing import Literal
from uuid import UUID

from sqlalchemy.orm import Session

from app.accounts.permission import Viewer
from app.catalog.diff import Line, compare_file
from app.catalog.model import Revision
from app.errors import Invalid
from app.submissions.model import Submission
from app.submissions.query import find_previous, get_submission

Kind = Literal["changed", "same", "skipped"]

STARTER_FILE = "starter.py"
# Limits of the comparison by word: pairs of lines, and words and characters of a line. The time is cubic in the words.
MAX_PAIRS = 200
MAX_WORDS = 64
MAX_CHARACTERS = 400
# For two lines that share less, marking words does not help the reader.
MIN_SIMILARITY = 0.6
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line. `is_changed`: the line beside it does not have this part."""

    text: str
    is_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One line of one source; `number` counts from 1."""

    number: int
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two lines side by side.

    One side is None if a line was added or removed. Both are None if unchanged lines were skipped.
    """

    kind: Kind
    old: Side | None = None
    new: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDifference:
    """The changed lines, each with 3 lines of context. `is_whole` is False if too much changed to compare all of it."""

    rows: tuple[Row, ...]
    added: int
    removed: int
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two submissions. `old` is None if the user's first submission is compared with the starter code."""

    old: Submission | None
    new: Submission
    difference: SourceDifference


def compare_submissions(session: Session, viewer: Viewer, new_id: UUID, old_id: UUID | None = None) -> Pair:
    """Compare two submissions. `old_id` defaults to the user's previous one for the problem.

    Raises NotFound for a submission that the viewer may not see, Invalid for submissions to different problems.
    """
    new = get_submission(session, new_id, viewer)
    old = find_previous(session, new) if old_id is None else get_submission(session, old_id, viewer)
    if old is not None and old.problem_id != new.problem_id:
        raise Invalid("old", "these submissions are to different problems; choose two of the same problem")
    before = _starter(session, new) if old is None else old.source
    return Pair(old=old, new=new, difference=compare_sources(before, new.source))


def compare_sources(old: str, new: str) -> SourceDifference:
    found = compare_file("", _with_newline(old), _with_newline(new))
    return SourceDifference(
        rows=tuple(_rows(found.lines)), added=found.added, removed=found.removed, is_whole=found.is_whole
    )


def _with_newline(source: str) -> str:
    """Add a missing newline at the end, which means nothing to Python."""
    return source if source.endswith("\n") else source + "\n"


def _starter(session: Session, submission: Submission) -> str:
    files = session.get_one(Revision, submission.revision_id).files
    return str(files.get(STARTER_FILE, ""))


def _rows(lines: Iterable[Line]) -> Iterator[Row]:
    left = MAX_PAIRS
    for is_changed, group in groupby(lines, lambda line: line.kind in ("added", "removed")):
        if not is_changed:
            yield from map(_unchanged, group)
            continue
        changed = list(group)
        removed = [line for line in changed if line.kind == "removed"]
        added = [line for line in changed if line.kind == "added"]
        for old, new in zip_longest(removed, added):
            yield _pair(old, new) if left > 0 else _unpaired(old, new)
            left -= old is not None and new is not None


def _unchanged(line: Line) -> Row:
    if line.kind == "skipped" or line.old is None or line.new is None:
        return Row(kind="skipped")
    pieces = (Piece(line.text, is_changed=False),)
    return Row(kind="same", old=Side(number=line.old, pieces=pieces), new=Side(number=line.new, pieces=pieces))


def _pair(old: Line | None, new: Line | None) -> Row:
    """Return a row that marks the changed words, if the two lines are similar enough."""
    if old is None or new is None or max(len(old.text), len(new.text)) > MAX_CHARACTERS:
        return _unpaired(old, new)
    before, after = _WORD.findall(old.text), _WORD.findall(new.text)
    if max(len(before), len(after)) > MAX_WORDS:
        return _unpaired(old, new)
    if SequenceMatcher(None, _without_space(before), _without_space(after), autojunk=False).ratio() < MIN_SIMILARITY:
        return _unpaired(old, new)
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return Row(
        kind="changed",
        old=Side(number=old.old or 0, pieces=_pieces(before, [(tag, i, j) for tag, i, j, _, _ in steps])),
        new=Side(number=new.new or 0, pieces=_pieces(after, [(tag, i, j) for tag, _, _, i, j in steps])),
    )


def _without_space(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.isspace()]


def _unpaired(old: Line | None, new: Line | None) -> Row:
    return Row(
        kind="changed",
        old=Side(number=old.old or 0, pieces=(Piece(old.text, is_changed=False),)) if old else None,
        new=Side(number=new.new or 0, pieces=(Piece(new.text, is_changed=False),)) if new else None,
    )


def _pieces(words: Sequence[str], steps: Iterable[tuple[str, int, int]]) -> tuple[Piece, ...]:
    return tuple(Piece("".join(words[i:j]), is_changed=tag != "equal") for tag, i, j in steps if i < j)
