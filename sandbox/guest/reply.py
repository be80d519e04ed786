"""Assemble a reply from the bytes of the answer channel. Every byte comes from a hostile process."""

from sandbox.guest import wire
from sandbox.guest.wire import Cause


class Reply:
    """`token` None: no reply is expected, so every byte is a forgery."""

    def __init__(self, token: bytes | None, answer_bytes: int) -> None:
        self._token, self._answer_bytes = token, answer_bytes
        self._received = bytearray()
        self._size: int | None = None
        self.kind = b""

    @property
    def missing(self) -> int:
        """The number of missing bytes, as far as is known."""
        size = wire.TOKENED_HEADER.size + (self._size or 0)
        return size - len(self._received)

    @property
    def content(self) -> bytes:
        return bytes(memoryview(self._received)[wire.TOKENED_HEADER.size :])

    def feed(self, data: bytes) -> Cause | None:
        """Return None while incomplete. Wants at most `missing` bytes and one more, which reveals extra output."""
        if self._token is None:
            return Cause.FORGED
        self._received += data
        if self._size is None and len(self._received) >= wire.TOKENED_HEADER.size:
            end = self._read_header()
            if end is not None:
                return end
        if self._size is None or self.missing > 0:
            return None
        return Cause.REPLIED if self.missing == 0 else Cause.FORGED

    def _read_header(self) -> Cause | None:
        token, self.kind, size = wire.TOKENED_HEADER.unpack_from(self._received)
        if token != self._token or self.kind not in wire.REPLIES:
            return Cause.FORGED
        if self.kind == wire.ANSWER and size > self._answer_bytes:
            return Cause.ANSWER_SIZE
        if self.kind != wire.ANSWER and size > wire.FAILURE_BYTES:
            return Cause.FORGED
        self._size = size
        return None
