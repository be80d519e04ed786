"""A running container that holds a guest, and the attached socket that carries its streams.

Writing to the socket writes to the container's stdin. Its stdout and stderr arrive interleaved, each piece with a
header.
"""

import logging
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sandbox.docker.engine_client import answering
from sandbox.guest_box import Vessel
from sandbox.interface import SandboxUnavailable
from sandbox.stream import Channel, Stream, poll

if TYPE_CHECKING:
    from docker.models.containers import Container


# Stream number, 3 padding bytes, length of the piece.
_HEADER = struct.Struct(">BxxxL")
_STDOUT = 1
_WORDS_BYTES = 2000
_NOT_NOW = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
_log = logging.getLogger(__name__)


class AttachedSocket(Channel):
    """Reads return stdout only; the end of stderr is kept in `words`. Works over TLS: tries first, then waits."""

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

    def can_read(self) -> bool:
        """Whether stdout has bytes or the stream has ended. Bytes on stderr do not count. A broken connection is an
        end.
        """
        if not self.is_closed and not self._unread:
            byte = self._next(1)
            if byte is None:
                return False
            self._unread = byte
        return True

    def wait_to_read(self, seconds: float) -> None:
        poll(self._socket, select.POLLIN, seconds)

    def wait_to_write(self, seconds: float) -> None:
        poll(self._socket, select.POLLOUT, seconds)

    def close(self) -> None:
        """Close at once, since the box ends by it: the library keeps the descriptor until its objects are collected."""
        self.is_closed = True
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _next(self, size: int) -> bytes | None:
        """Return the next bytes of stdout; None when none are there yet, empty at the end."""
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


class DockerContainer(Vessel):
    """The guest ends when its stdin closes, and so when this process ends in any way; the engine then removes it.

    Raises SandboxUnavailable. `on_end` is called exactly once, in that case too. `room_bytes`: the container's memory
    limit, or None where the engine can't set one. `overhead_bytes`: the part of it that is not for the student.
    """

    def __init__(
        self, container: "Container", room_bytes: int | None, overhead_bytes: int, on_end: Callable[[], None]
    ) -> None:
        self._container, self._room_bytes, self._on_end = container, room_bytes, on_end
        self._overhead_bytes = overhead_bytes
        self._lock = threading.Lock()
        self._is_destroyed = False
        try:
            with answering("to start a box"):
                self._channel = AttachedSocket(_attach(container))
                self.stream = Stream(self._channel)
                container.start()
                container.reload()
            self.pid = int(container.attrs["State"]["Pid"])
            self.name = str(container.name)
        except BaseException:
            self.destroy()
            raise

    def is_alive(self) -> bool:
        """Whether `destroy` was not called. If the container ended by itself, its stream has ended too."""
        return not self._is_destroyed

    def check_host(self) -> None:
        with answering("a connection"):
            assert self._container.client is not None
            self._container.client.ping()

    def make_room(self, memory_bytes: int) -> None:
        room_bytes = memory_bytes + self._overhead_bytes
        if self._room_bytes is None or room_bytes <= self._room_bytes:
            return
        with answering("more memory for a box"):
            self._container.update(mem_limit=room_bytes, memswap_limit=room_bytes)
        self._room_bytes = room_bytes

    def destroy(self) -> None:
        with self._lock:
            if self._is_destroyed:
                return
            self._is_destroyed = True
        try:
            remove(self._container)
        finally:
            self._on_end()

    def last_words(self) -> str:
        return self._channel.words.decode("utf-8", "replace").strip()


def remove(container: "Container") -> None:
    """End the container at once. It may be gone already. If the engine is away, its boxes end by themselves."""
    from docker.errors import APIError

    try:
        with answering("to remove a box"):
            try:
                container.remove(force=True, v=True)
            except APIError as error:
                if error.status_code not in (404, 409):  # gone, or the engine is removing it
                    raise
    except SandboxUnavailable as error:
        _log.warning("%s is left to end by itself: %s", container.short_id, error)


def _attach(container: "Container") -> Any:
    """Return the raw socket, attached before the start so that no buffer holds bytes of the guest yet."""
    attached = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    return getattr(attached, "_sock", attached)
