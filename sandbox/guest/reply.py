"""Puts a reply together from what comes over the answer channel. Everything here was written by a hostile process."""

from enum import StrEnum

from sandbox.guest import frames


class Cause(StrEnum):
    """What ended a question."""

    REPLIED = "replied"
    TIME = "time"
    MEMORY = "memory"
    THREADS = "threads"
    FILES = "files"
    TEXT = "text"
    ANSWER_SIZE = "answer_size"
    FORGED = "forged"
    DIED = "died"
    CLOSED = "closed"


class Reply:
    """`token` None: nothing was asked, and every byte is one too many."""

    def __init__(self, token: bytes | None, answer_bytes: int) -> None:
        self._token, self._answer_bytes = token, answer_bytes
        self._received = bytearray()
        self._size: int | None = None
        self.kind = b""

    @property
    def missing(self) -> int:
        """Bytes, as far as is known."""
        size = frames.TOKENED_HEADER.size + (self._size or 0)
        return size - len(self._received)

    @property
    def content(self) -> bytes:
        return bytes(memoryview(self._received)[frames.TOKENED_HEADER.size :])

    def feed(self, data: bytes) -> Cause | None:
        """None: not complete yet. At most `missing` bytes and one more are wanted; that one shows who goes on."""
        if self._token is None:
            return Cause.FORGED
        self._received += data
        if self._size is None and len(self._received) >= frames.TOKENED_HEADER.size:
            end = self._read_header()
            if end is not None:
                return end
        if self._size is None or self.missing > 0:
            return None
        return Cause.REPLIED if self.missing == 0 else Cause.FORGED

    def _read_header(self) -> Cause | None:
        token, self.kind, size = frames.TOKENED_HEADER.unpack_from(self._received)
        if token != self._token or self.kind not in frames.REPLIES:
            return Cause.FORGED
        if self.kind == frames.ANSWER and size > self._answer_bytes:
            return Cause.ANSWER_SIZE
        if self.kind != frames.ANSWER and size > frames.FAILURE_BYTES:
            return Cause.FORGED
        self._size = size
        return None
