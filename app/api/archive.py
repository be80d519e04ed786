"""Answers that are files: archives and tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import IO, Any

from fastapi.responses import Response, StreamingResponse

from app.admin.export import MEDIA_TYPES, Record, Table, read_chunks, write_csv
from app.catalog.archive import write_archive

ZIP = "application/zip"
_CONTENT = {ZIP: {"schema": {"type": "string", "format": "binary"}}}
PACKAGE: dict[str, Any] = {"description": "A zip archive of the package's folder", "content": _CONTENT}


def send_file(file: IO[bytes], name: str) -> StreamingResponse:
    return StreamingResponse(read_chunks(file), media_type=ZIP, headers=_headers(name))


def send_package(slug: str, files: Mapping[str, str], name: str) -> Response:
    return Response(write_archive(slug, files), media_type=ZIP, headers=_headers(name))


def send_table(table: Table) -> StreamingResponse:
    """Call it while the session that reads the table is open. Raises LimitReached."""
    return StreamingResponse(read_chunks(table.to_file()), media_type=table.media_type, headers=table.headers)


def send_csv(columns: Sequence[str], records: Iterable[Record], name: str) -> Response:
    """Send a small table. Spreadsheets find no formulas in it."""
    return Response("".join(write_csv(columns, records)), media_type=MEDIA_TYPES["csv"], headers=_headers(name))


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
