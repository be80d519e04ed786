"""What is read from the database at its own speed, for somebody who may read slowly: kept in a file without a name."""

import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import IO, TypeVar

from app.errors import LimitReached

# Larger ones are on the disk.
MAX_IN_MEMORY = 8 * 1024 * 1024
CHUNK = 64 * 1024
MOST_SECONDS = 600

T = TypeVar("T")


def open_spool() -> IO[bytes]:
    return tempfile.SpooledTemporaryFile(max_size=MAX_IN_MEMORY)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """All of it; then it is closed."""
    with file:
        while chunk := file.read(CHUNK):
            yield chunk


def in_time(pieces: Iterable[T]) -> Iterator[T]:
    """Raises LimitReached where all of them take more than MOST_SECONDS."""
    end = time.monotonic() + MOST_SECONDS
    for piece in pieces:
        if time.monotonic() > end:
            raise LimitReached(
                f"it takes more than {MOST_SECONDS} s to read all of it; ask for less: a shorter time, say"
            )
        yield piece
