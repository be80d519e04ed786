"""Responses that a browser saves as files."""

from typing import IO

from fastapi.responses import StreamingResponse

from app.admin.export import Table, read_chunks
from app.web.render import HEADERS


def send_archive(file: IO[bytes], name: str) -> StreamingResponse:
    headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(read_chunks(file), media_type="application/zip", headers=headers)


def send_table(table: Table) -> StreamingResponse:
    """Send a table. Call it while the table's session is open. Raises LimitReached."""
    return StreamingResponse(read_chunks(table.to_file()), media_type=table.media_type, headers=table.headers)
