"""An attached container's socket: we write its stdin; its stdout and stderr come in turn, each with a header."""

import select
import socket
import ssl
import struct
from contextlib import suppress

from sandbox.stream import Channel, poll

# Which stream, three bytes of nothing, and how many bytes follow.
_HEADER = struct.Struct(">BxxxL")
_STDOUT = 1
_WORDS_BYTES = 2000
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class AttachedSocket(Channel):
    """stdout is what is read here; of stderr the end is kept in `words`. Over TLS too: tries first, then waits."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._socket.setblocking(False)
        self.is_closed = False
        self.words = b""
        self._header = b""
        self._left, self._is_stdout = 0, False
        self._unread = b""

    def read(self, size: int) -> bytes | None:
        unread, self._unread = self._unread[:size], self._unread[size:]
        return unread or self._next(size)

    def write(self, data: memoryview) -> int:
        try:
            return self._socket.send(data)
        except _NOT_NOW:
            return 0

    def has_word(self) -> bool:
        """What came on stderr is no word. Raises nothing: a broken connection is an end."""
        if not self.is_closed and not self._unread:
            said = self._next(1)
            if said is None:
                return False
            self._unread = said
        return True

    def wait_to_read(self, seconds: float) -> None:
        poll(self._socket, select.POLLIN, seconds)

    def wait_to_write(self, seconds: float) -> None:
        poll(self._socket, select.POLLOUT, seconds)

    def close(self) -> None:
        """At once, for the box ends by it: the library's own objects keep the descriptor until they are collected."""
        self.is_closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _next(self, size: int) -> bytes | None:
        """The next bytes of stdout; None when there are none yet, nothing at the end."""
        while True:
            wanted = min(size, self._left) if self._is_stdout else self._left
            part = self._receive(wanted or _HEADER.size - len(self._header))
            if not part:
                return part
            if not wanted:
                self._header += part
                if len(self._header) == _HEADER.size:
                    stream, self._left = _HEADER.unpack(self._header)
                    self._header, self._is_stdout = b"", stream == _STDOUT
                continue
            self._left -= len(part)
            if self._is_stdout:
                return part
            self.words = (self.words + part)[-_WORDS_BYTES:]

    def _receive(self, size: int) -> bytes | None:
        try:
            return self._socket.recv(size)
        except _NOT_NOW:
            return None
        except OSError:
            return b""
