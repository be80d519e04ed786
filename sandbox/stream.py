"""The host's side of the pipe to a box: frames, with a deadline, and with an ear for the caller's abort event."""

import json
import os
import select
import threading
import time
from typing import Any, BinaryIO

from sandbox.guest.frames import HEADER
from sandbox.interface import Aborted, BoxLost

LISTEN_SECONDS = 0.05
_PIECE = 2**20


class Patience:
    """Until when to wait, and for whose sake to stop."""

    def __init__(self, seconds: float, abort: threading.Event | None = None) -> None:
        self._deadline, self._abort = time.monotonic() + seconds, abort

    def check(self) -> None:
        """Raises Aborted or BoxLost."""
        if self._abort is not None and self._abort.is_set():
            raise Aborted
        if time.monotonic() > self._deadline:
            raise BoxLost("the box does not answer")


class Stream:
    """`receiver` and `sender` are the box's stdout and stdin, unbuffered."""

    def __init__(self, sender: BinaryIO, receiver: BinaryIO) -> None:
        self._sender, self._receiver = sender, receiver
        for pipe in (sender, receiver):
            os.set_blocking(pipe.fileno(), False)

    def close(self) -> None:
        """Not while another thread sends or receives."""
        self._sender.close()
        self._receiver.close()

    def send(self, kind: bytes, content: bytes, patience: Patience) -> None:
        for part in (HEADER.pack(kind, len(content)), content):
            rest = memoryview(part)
            while rest:
                rest = rest[self._write(rest, patience) :]

    def receive(self, caps: dict[bytes, int], patience: Patience) -> tuple[bytes, bytes]:
        """A frame of one of these kinds and of at most that many bytes. Raises BoxLost for any other."""
        kind, size = HEADER.unpack(self._read(HEADER.size, patience))
        if size > caps.get(kind, -1):
            raise BoxLost(f"the box sent a frame of kind {kind!r} and {size} bytes out of turn")
        return kind, self._read(size, patience)

    def has_word(self) -> bool:
        """Whether something can be read, be it the end of the stream."""
        return self._receiver.closed or bool(_poll(self._receiver, select.POLLIN).poll(0))

    def _read(self, size: int, patience: Patience) -> bytes:
        parts: list[bytes] = []
        while size:
            _wait(self._receiver, select.POLLIN, patience)
            part = os.read(self._receiver.fileno(), min(size, _PIECE))
            if not part:
                raise BoxLost("the box ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _write(self, data: memoryview, patience: Patience) -> int:
        _wait(self._sender, select.POLLOUT, patience)
        try:
            return os.write(self._sender.fileno(), data[:_PIECE])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            raise BoxLost("the box ended") from None


def _wait(pipe: BinaryIO, event: int, patience: Patience) -> None:
    if pipe.closed:
        raise BoxLost("the box is closed")
    poll = _poll(pipe, event)
    patience.check()
    while not poll.poll(LISTEN_SECONDS * 1000):
        patience.check()


def _poll(pipe: BinaryIO, event: int) -> select.poll:
    poll = select.poll()
    poll.register(pipe, event)
    return poll


def read_json(content: bytes) -> dict[str, Any]:
    """Facts from the guest. Raises BoxLost when they are not even an object."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise BoxLost("the box sent what is no JSON object")
    return found
