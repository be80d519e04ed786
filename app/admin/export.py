"""Tables as text, row by row: NDJSON, and CSV in which a spreadsheet finds no formulas."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, Any, Literal
from uuid import UUID

from app.spool import in_time, open_spool

Format = Literal["ndjson", "csv"]
Record = Mapping[str, Any]

MEDIA_TYPES: dict[Format, str] = {"ndjson": "application/x-ndjson", "csv": "text/csv; charset=utf-8"}
# Starts of a formula in a spreadsheet. A tab or carriage return hides one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


# The size of a piece: sending single records would take longer than reading them.
PIECE_CHARACTERS = 32_768


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
    for record in records:
        yield json.dumps(record, default=_plain, ensure_ascii=False) + "\n"


def write_csv(columns: Sequence[str], records: Iterable[Record]) -> Iterator[str]:
    """Yield lines of CSV. A text that a spreadsheet would run as a formula gets an apostrophe before it."""
    # Without this mark, Excel reads the file in the encoding of the machine.
    yield "\ufeff" + _line(columns)
    for record in records:
        yield _line([_cell(record[column]) for column in columns])


def _cell(value: Any) -> Any:
    if value is None or isinstance(value, int | float):
        return value
    text = json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(_plain(value))
    return f"'{text}" if text.startswith(_FORMULA) else text


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _line(cells: Sequence[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()
