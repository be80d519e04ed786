"""The memory of a box's processes, read from the host. That takes root."""

import re
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import psutil

PIECE_BYTES = 2**24


def processes_of(pid: int) -> list[int]:
    """The first process of a box and all that descend from it."""
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


def find_in_memory(pid: int, texts: list[bytes]) -> list[bytes]:
    """Return the texts that occur in the process's own memory: writable mappings, and mappings of no file."""
    found: set[bytes] = set()
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for start, end in _own_memory(pid):
            for piece in _pieces(memory, start, end, max(map(len, texts))):
                found.update(text for text in texts if text in piece)
    return sorted(found)


def _own_memory(pid: int) -> list[tuple[int, int]]:
    ranges = []
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) (r\S)\S+ \S+ \S+ (\d+)", line)
        if found and (found[3] == "rw" or found[4] == "0") and "[v" not in line:
            ranges.append((int(found[1], 16), int(found[2], 16)))
    return ranges


def _pieces(memory: FileIO, start: int, end: int, overlap: int) -> Iterator[bytes]:
    """Each with the end of the one before."""
    tail = b""
    memory.seek(start)
    while start < end and (piece := memory.read(min(end - start, PIECE_BYTES))):
        yield tail + piece
        start += len(piece)
        tail = piece[-overlap:]
