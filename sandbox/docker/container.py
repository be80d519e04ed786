"""A running container, as what a guest runs in.

An attached container's socket: we write its stdin; its stdout and stderr come in turn, each with a header.
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

from sandbox.docker.engine import answering
from sandbox.guest_box import Vessel
from sandbox.interface import SandboxUnavailable
from sandbox.stream import Channel, Stream, poll

if TYPE_CHECKING:
    from docker.models.containers import Container


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


_log = logging.getLogger(__name__)


class DockerContainer(Vessel):
    """The guest ends when its stdin closes, and so with our connection, however we end; the engine then removes it.

    Raises SandboxUnavailable. `on_end` is called once, then too. `room_bytes`: the memory that the box was given, which
    the host's kernel limits; None where it does not. `overhead_bytes`: what of it is not the student's.
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
        """Whether it was not ended by us: that it ended by itself is heard on its stream."""
        return not self._is_destroyed

    def check_host(self) -> None:
        with answering("to be spoken to"):
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
    """Ends it at once. One that is gone is none to remove; with an engine that is away, all of its boxes end."""
    from docker.errors import APIError

    try:
        with answering("to remove a box"):
            try:
                container.remove(force=True, v=True)
            except APIError as error:
                if error.status_code not in (404, 409):  # gone, or the engine is removing it
                    raise
    except SandboxUnavailable as error:
        _log.warning("%s is left to end by itself: %s", container.name, error)


def _attach(container: "Container") -> Any:
    """The socket itself, before the start: no byte of the guest can be in anybody's buffer yet."""
    attached = container.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    return getattr(attached, "_sock", attached)
