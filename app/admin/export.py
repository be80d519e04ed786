"""Files of many rows: NDJSON, and CSV in which a spreadsheet finds no formulas. Each export is an audit event.

The database is read at its own speed into a temporary file; the client may download it slowly.
"""

import csv
import io
import json
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any, Literal, TypeVar
from uuid import UUID

from pydantic_core import to_jsonable_python
from sqlalchemy.orm import Session

from app.accounts.user import find_user
from app.audit import Act, Actor, record
from app.errors import LimitReached

Format = Literal["ndjson", "csv"]
Record = Mapping[str, Any]

MEDIA_TYPES: dict[Format, str] = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
# Starts of a formula in a spreadsheet. A tab or carriage return hides one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Points below 0 are no formula.
_NUMBER = re.compile(r"-\d+(\.\d+)?")
# The size of a piece: sending single records would take longer than reading them.
PIECE_CHARACTERS = 32_768
# Larger files are on disk.
MAX_IN_MEMORY = 8 * 1024 * 1024
CHUNK = 64 * 1024
MOST_SECONDS = 600

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A file of records, which are read lazily from a session that must still be open."""

    name: str
    format: Format
    columns: Sequence[str]
    records: Iterable[Record]

    @property
    def media_type(self) -> str:
        return MEDIA_TYPES[self.format]

    @property
    def headers(self) -> dict[str, str]:
        file = f"allclose-{self.name}-{datetime.now(UTC):%Y-%m-%d}.{self.format}"
        return {"Content-Disposition": f'attachment; filename="{file}"', "Cache-Control": "no-store"}

    def to_file(self) -> IO[bytes]:
        """Read all records into a file, which the caller reads and closes. Raises LimitReached."""
        file = open_spool()
        file.writelines(piece.encode() for piece in in_time(self.pieces()))
        file.seek(0)
        return file

    def pieces(self) -> Iterator[str]:
        lines = write_csv(self.columns, self.records) if self.format == "csv" else write_ndjson(self.records)
        held, size = [], 0
        for line in lines:
            held.append(line)
            size += len(line)
            if size >= PIECE_CHARACTERS:
                yield "".join(held)
                held, size = [], 0
        yield "".join(held)


def write_ndjson(records: Iterable[Record]) -> Iterator[str]:
    for row in records:
        yield json.dumps(row, default=_plain, ensure_ascii=False) + "\n"


def write_csv(columns: Sequence[str], records: Iterable[Record]) -> Iterator[str]:
    """Yield lines of CSV. A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    # Without this mark, Excel reads the file in the encoding of the machine.
    yield "\ufeff" + _line(columns)
    for row in records:
        yield _line([_cell(row[column]) for column in columns])


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(_plain(value))
    is_formula = text.startswith(_FORMULA) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def open_spool() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the whole file in chunks, then close it."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk


def in_time(pieces: Iterable[T]) -> Iterator[T]:
    """Yield the pieces. Raises LimitReached when they take longer than MOST_SECONDS."""
    end = time.monotonic() + MOST_SECONDS
    for piece in pieces:
        if time.monotonic() > end:
            raise LimitReached(f"Reading the data takes longer than {MOST_SECONDS} s. Choose a shorter time range.")
        yield piece


Exported = Literal["submissions.exported", "audit.exported"]
# Filters whose values are user names.
NAMES = ("user", "actor", "about")


def record_export(session: Session, actor: Actor, action: Exported, filters: Mapping[str, Any], **more: Any) -> None:
    """Record an export. Users in filters become IDs, since users may be erased and the audit log may not."""
    chosen = {name: value for name, value in filters.items() if value is not None}
    for name in chosen.keys() & set(NAMES):
        user = find_user(session, chosen[name])
        chosen[name] = user.id if user else None
    after = to_jsonable_python({"filters": chosen, **more})
    record(session, actor, Act(action=action, target="some" if chosen else "all", after=after))
