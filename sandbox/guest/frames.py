"""Length-prefixed frames, the same on every pipe: a kind of one byte, the length, the content.

Between the host and the guest of a box:

    host -> guest   P setup of the student's process (JSON)       X discard that process
                    S request (JSON)      C inputs of a case      Z inputs of the last case
    guest -> host   Y ready (JSON)        W that process waits    L loaded (JSON)
                    O how a case or the loading ended (JSON), then T its text, then P the child's payload
                    D the box is empty again

Between the monitor and the student's process a token precedes each frame. The monitor draws one for each load or call,
so an answer written too early, or twice, can't pass as the answer to the next.
"""

import struct
from os import read, write  # bound here and now: a student may replace os.write

HEADER = struct.Struct("<cQ")
FROM_HOST, TO_HOST = 0, 1  # descriptors of the guest
TOKEN_BYTES = 16
TOKENED_HEADER = struct.Struct(f"<{TOKEN_BYTES}scQ")

# Kinds that the child may send. A failure's content is four texts, joined by NUL: stage, kind, message, traceback.
PREPARED, LOADED, ANSWER = b"S", b"L", b"A"
INVALID, RAISED, UNSUPPORTED, TOO_LARGE = b"I", b"R", b"U", b"O"
INPUT_CHANGED, MEMORY_SHARED = b"C", b"M"
FAILURES = (INVALID, RAISED, UNSUPPORTED, TOO_LARGE, INPUT_CHANGED, MEMORY_SHARED)
REPLIES = (PREPARED, LOADED, ANSWER, *FAILURES)
FAILURE_BYTES = 64 * 1024


class StreamEnded(Exception):
    """The other side closed its end, perhaps in the middle of a frame."""


def read_exactly(descriptor: int, size: int) -> bytes:
    """Blocks. Raises StreamEnded."""
    parts = []
    while size:
        part = read(descriptor, min(size, 2**20))
        if not part:
            raise StreamEnded
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def write_all(descriptor: int, data: bytes) -> None:
    """Blocks."""
    rest = memoryview(data)
    while rest:
        rest = rest[write(descriptor, rest) :]


def read_frame(descriptor: int) -> tuple[bytes, bytes]:
    """Read kind and content from a trusted sender. Blocks. Raises StreamEnded."""
    kind, size = HEADER.unpack(read_exactly(descriptor, HEADER.size))
    return kind, read_exactly(descriptor, size)


def write_frame(descriptor: int, kind: bytes, content: bytes = b"") -> None:
    write_all(descriptor, HEADER.pack(kind, len(content)))
    write_all(descriptor, content)
