"""Archives as answers."""

from typing import IO, Any

from fastapi.responses import StreamingResponse

from app.people.export import read_chunks

ARCHIVE: dict[str, Any] = {
    "description": "A zip archive",
    "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
}


def send_file(file: IO[bytes], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(read_chunks(file), media_type="application/zip", headers=headers)
