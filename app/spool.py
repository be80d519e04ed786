"""Temporary files for large answers: the database is read at its own speed, the client may download slowly."""

import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import IO, TypeVar

from app.errors import LimitReached

# Larger files are on disk.
MAX_IN_MEMORY = 8 * 1024 * 1024
CHUNK = 64 * 1024
MOST_SECONDS = 600

T = TypeVar("T")


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
