"""The host's end of the channel to a box: frames with a deadline, which also watch the caller's abort event."""

import json
import os
import select
import threading
import time
from abc import ABC, abstractmethod
from typing import Any, BinaryIO, Protocol

from sandbox.guest.wire import HEADER, NO_REQUEST, RunLimits, max_bytes
from sandbox.interface import Aborted, BoxLost, BoxSilent

LISTEN_SECONDS = 0.05
_PIECE = 2**20


class HasFileno(Protocol):
    def fileno(self) -> int: ...


class Patience:
    """A deadline and an abort event."""

    def __init__(self, seconds: float, abort: threading.Event | None = None) -> None:
        self._deadline, self._abort = time.monotonic() + seconds, abort

    def check(self) -> None:
        """Raises Aborted or BoxLost."""
        if self._abort is not None and self._abort.is_set():
            raise Aborted
        if time.monotonic() > self._deadline:
            raise BoxSilent("the box does not answer")


class Channel(ABC):
    """The bytes to and from a box. Neither reading nor writing blocks."""

    @abstractmethod
    def read(self, size: int) -> bytes | None:
        """Return at most `size` bytes; None when none are there yet; empty at the end of the stream."""

    @abstractmethod
    def write(self, data: memoryview) -> int:
        """Return how many bytes were taken. Raises OSError when the other end is closed."""

    @abstractmethod
    def can_read(self) -> bool:
        """Whether bytes or the end of the stream can be read."""

    @abstractmethod
    def wait_to_read(self, seconds: float) -> None: ...

    @abstractmethod
    def wait_to_write(self, seconds: float) -> None: ...

    @abstractmethod
    def close(self) -> None: ...

    is_closed: bool


class Pipes(Channel):
    """The box's stdin (`sender`) and stdout (`receiver`), unbuffered."""

    def __init__(self, sender: BinaryIO, receiver: BinaryIO) -> None:
        self._sender, self._receiver = sender, receiver
        self.is_closed = False
        for pipe in (sender, receiver):
            os.set_blocking(pipe.fileno(), False)

    def read(self, size: int) -> bytes | None:
        try:
            return os.read(self._receiver.fileno(), size)
        except BlockingIOError:
            return None

    def write(self, data: memoryview) -> int:
        try:
            return os.write(self._sender.fileno(), data)
        except BlockingIOError:
            return 0

    def can_read(self) -> bool:
        return self.is_closed or poll(self._receiver, select.POLLIN, 0)

    def wait_to_read(self, seconds: float) -> None:
        poll(self._receiver, select.POLLIN, seconds)

    def wait_to_write(self, seconds: float) -> None:
        poll(self._sender, select.POLLOUT, seconds)

    def close(self) -> None:
        self.is_closed = True
        self._sender.close()
        self._receiver.close()


class Stream:
    """Frames over a channel."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def close(self) -> None:
        """Must not be called while another thread sends or receives."""
        self._channel.close()

    def send(self, kind: bytes, content: bytes, patience: Patience) -> None:
        for part in (HEADER.pack(kind, len(content)), content):
            rest = memoryview(part)
            while rest:
                rest = rest[self._write(rest, patience) :]

    def receive(self, kind: bytes, patience: Patience, limits: RunLimits = NO_REQUEST) -> bytes:
        """Return the content of the next frame. Raises BoxLost if its kind is another, or its content too large."""
        found, size = HEADER.unpack(self._read(HEADER.size, patience))
        if found != kind or size > max_bytes(kind, limits):
            raise BoxLost(f"the box sent an unexpected frame of kind {found!r} with {size} bytes")
        return self._read(size, patience)

    def can_read(self) -> bool:
        return self._channel.can_read()

    def _read(self, size: int, patience: Patience) -> bytes:
        parts: list[bytes] = []
        while size:
            part = self._read_part(min(size, _PIECE), patience)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _read_part(self, size: int, patience: Patience) -> bytes:
        while True:
            self._check(patience)
            part = self._channel.read(size)
            if part:
                return part
            if part is not None:
                raise BoxLost("the box ended")
            self._channel.wait_to_read(LISTEN_SECONDS)

    def _write(self, data: memoryview, patience: Patience) -> int:
        while True:
            self._check(patience)
            try:
                written = self._channel.write(data[:_PIECE])
            except OSError:
                raise BoxLost("the box ended") from None
            if written:
                return written
            self._channel.wait_to_write(LISTEN_SECONDS)

    def _check(self, patience: Patience) -> None:
        if self._channel.is_closed:
            raise BoxLost("the box is closed")
        patience.check()


def poll(pipe: HasFileno, event: int, seconds: float) -> bool:
    waiting = select.poll()
    waiting.register(pipe, event)
    return bool(waiting.poll(seconds * 1000))


def read_json(content: bytes) -> dict[str, Any]:
    """Parse facts from the guest. Raises BoxLost when they are not a JSON object."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BoxLost("the box sent something other than a JSON object")
    return found
