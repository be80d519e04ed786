"""Watch one student's process while it loads or answers: time, memory, threads, files, text and its answer channel.

It is one loop around `poll`, with a look at the process every 10 ms. The bytes of an answer are counted and passed on,
never parsed.
"""

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from sandbox.guest import wire
from sandbox.guest.charged_time import ChargedTime, ThreadTimes
from sandbox.guest.gauge import Gauge
from sandbox.guest.isolation import TMP_FILES
from sandbox.guest.reply import Reply
from sandbox.guest.student import ASK_PLACE
from sandbox.guest.wire import NO_REQUEST, CallReport, Cause

TICK_SECONDS = 0.01
DEATH_SECONDS = 0.5
FAREWELL_SECONDS = 0.25
FLOOD_BYTES = 8 * 2**20
# How long a process that ran out of time may take to name its lines, and how many bytes of that are read.
PLACE_SECONDS = 0.1
PLACE_BYTES = 8 * 2**10
NOTES_BYTES = 8 * 2**10
# Stand in the notes where the process has closed its end, and after the last bytes that are kept.
CLOSED, FULL = b"\nclosed\n", b"\nfull\n"
CHUNK_BYTES = 2**18
# Room for the line that counts what is left out of a long text.
LEFT_OUT_BYTES = 64
# The bytes that begin and that continue a character of several bytes in UTF-8.
FIRST_OF_SEVERAL, CONTINUATION = bytes(range(0xC0, 0x100)), bytes(range(0x80, 0xC0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Child:
    """A student's process, and the monitor's non-blocking ends of its pipes."""

    pid: int
    inputs: int
    answers: int
    text: int
    place: int


class PrintedText:
    """The beginning and the end of a text of any length. `seen`: the bytes so far."""

    def __init__(self) -> None:
        self._head, self._end, self.seen = bytearray(), bytearray(), 0

    def add(self, data: bytes, text_bytes: int) -> None:
        """Keep about `text_bytes` of all that was added."""
        half = max(0, text_bytes - LEFT_OUT_BYTES) // 2
        room = half - len(self._head)
        self._head += data[:room]
        self._end += data[room:]
        del self._end[: max(0, len(self._end) - half)]
        self.seen += len(data)

    def whole(self) -> bytes:
        """Return the text, with the number of bytes that are left out in its middle."""
        left_out = self.seen - len(self._head) - len(self._end)
        if not left_out:
            return bytes(self._head + self._end)
        # No character is cut in two: the end has no rest of one, and the beginning loses its last one.
        end = self._end.lstrip(CONTINUATION)
        head = self._head.rstrip(CONTINUATION).rstrip(FIRST_OF_SEVERAL)
        left_out = self.seen - len(head) - len(end)
        return bytes(head) + f"\n… {left_out:,} bytes left out …\n".encode() + bytes(end)


class HostGone(Exception):
    """The worker is dead, or has closed the box."""


class Watch:
    """`limits`: those of the request, once it has arrived."""

    def __init__(self, child: Child, gauge: Gauge, *, thread_limit: int, cores: int) -> None:
        self.limits = NO_REQUEST
        self._child, self._thread_limit = child, thread_limit
        self._gauge, self._thread_times = gauge, ThreadTimes(child.pid, cores)
        self._charged: ChargedTime | None = None
        self._baseline: int | None = None
        self._peak, self._looked_at = 0, 0.0
        self._text = PrintedText()
        self._notes = bytearray()
        self._outgoing = memoryview(b"")
        self._reply = Reply(None, 0)
        self._end: Cause | None = None
        self._status: int | None = None
        self._host_has_spoken = self._is_reaped = False
        self._poll = select.poll()
        self._handlers: dict[int, Callable[[], None]] = {
            wire.FROM_HOST: self._note_host,
            child.text: self._read_text,
            child.answers: self._read_answer,
            child.place: self._read_notes,
            child.inputs: self._write_inputs,
        }
        for descriptor in (wire.FROM_HOST, child.text, child.answers, child.place):
            self._poll.register(descriptor, select.POLLIN)

    def ask(self, kind: bytes, content: bytes, seconds: float) -> CallReport:
        """Send a load or call command, and wait for the reply or whatever ends it. Raises HostGone."""
        charged = self._charged = ChargedTime(self._thread_times, seconds)
        self._begin(os.urandom(wire.TOKEN_BYTES), kind, content)
        while self._end is None:
            self._step()
            if self._host_has_spoken:  # the host sends nothing now, so it has closed its end
                raise HostGone
            charged.look()
            if self._end is None and charged.is_over():
                self._end = Cause.TIME
        wall_seconds = charged.read()
        self._look()
        return self._finish(wall_seconds, charged.left_out + charged.frozen)

    def await_preparation(self, token: bytes, seconds: float) -> CallReport:
        """Wait for the first reply, which needs no command. Memory counts from then on. Raises HostGone."""
        self._reply = Reply(token, 0)
        deadline = time.monotonic() + seconds
        while self._end is None and time.monotonic() < deadline:
            self._step()
            if self._host_has_spoken:
                raise HostGone
        ended = self._finish(0.0, 0.0)
        status = self._gauge.read()
        self._baseline = status.memory_bytes if status else 0
        return ended

    def put_back(self, text: bytes) -> None:
        """Text printed while loading is shown with the first case."""
        self._text.add(text, self.limits.text_bytes)

    def wait_for_host(self) -> None:
        """Wait until the host's next message can be read. Events of the process in the meantime end the next call."""
        self._host_has_spoken = False
        while not self._host_has_spoken:
            self._step()

    def farewell(self) -> bool:
        """Wait for the process to end. Return whether it sent another byte: then its last reply was forged."""
        with suppress(KeyError):
            self._poll.unregister(self._child.inputs)
        os.close(self._child.inputs)
        deadline = time.monotonic() + FAREWELL_SECONDS
        while self._end is None and time.monotonic() < deadline:
            self._step()
        return self._end is Cause.FORGED

    def leave(self) -> None:
        """Kill the process. The zygote reaps it, and ends what it has started: the kernel then frees both processes'
        memory in parallel.
        """
        if not self._is_reaped:
            os.kill(self._child.pid, signal.SIGKILL)

    def is_dead(self) -> bool:
        if not self._is_reaped:
            pid, self._status = os.waitpid(self._child.pid, os.WNOHANG)
            self._is_reaped = pid != 0
        return self._is_reaped

    def _begin(self, token: bytes, kind: bytes, content: bytes) -> None:
        self._peak, self._host_has_spoken = 0, False
        self._reply = Reply(token, self.limits.answer_bytes)
        self._outgoing = memoryview(wire.TOKENED_HEADER.pack(token, kind, len(content)) + content)
        self._poll.register(self._child.inputs, select.POLLOUT)

    def _finish(self, wall_seconds: float, left_out_seconds: float) -> CallReport:
        cause, reply = self._end or Cause.TIME, self._reply
        self._end, self._reply = None, Reply(None, 0)
        if cause is Cause.CLOSED:
            cause = self._reap()
        has_reply = cause is Cause.REPLIED
        content = reply.content if has_reply else b""
        if cause is Cause.TIME:
            content = self._ask_place()
        else:
            self._read_notes()
        if not has_reply:
            self.leave()
        text = self._take_text()
        return CallReport(
            cause=cause,
            kind=reply.kind if has_reply else b"",
            content=content,
            status=self._status if cause is Cause.DIED else None,
            wall_seconds=wall_seconds,
            left_out_seconds=left_out_seconds,
            memory_bytes=self._peak,
            text=text,
            notes=self._notes.decode("ascii", "replace"),
        )

    def _ask_place(self) -> bytes:
        """Ask the process for the lines that it runs, as faulthandler writes them. What it wrote before is dropped."""
        place, found = self._child.place, bytearray()
        with suppress(BlockingIOError):
            os.read(place, CHUNK_BYTES)  # more than a pipe holds
        if self.is_dead():
            return b""
        os.kill(self._child.pid, ASK_PLACE)
        told = select.poll()
        told.register(place, select.POLLIN)
        deadline = time.monotonic() + PLACE_SECONDS
        while time.monotonic() < deadline and len(found) < PLACE_BYTES:
            if told.poll(TICK_SECONDS * 1000):
                with suppress(BlockingIOError):  # without namespaces, the student may read it first
                    if not (data := os.read(place, PLACE_BYTES - len(found))):
                        break
                    found += data
            elif found:
                break
        return bytes(found)

    def _step(self) -> None:
        for descriptor, _ in self._poll.poll(TICK_SECONDS * 1000):
            with suppress(BlockingIOError):  # without namespaces, the student may read it first
                self._handlers[descriptor]()
        now = time.monotonic()
        if now - self._looked_at >= TICK_SECONDS:
            self._looked_at = now
            self._look()

    def _look(self) -> None:
        """Memory comes first: after running out of memory, a process may have sent or done anything."""
        status = self._gauge.read()
        if status is None or self._baseline is None:
            return
        if status.programs and self._charged:
            self._charged.charge_waits()
        self._peak = max(self._peak, status.memory_bytes - self._baseline)
        if self._peak > self.limits.memory_bytes:
            self._end = Cause.MEMORY
        elif status.threads > self._thread_limit:
            self._end = self._end or Cause.THREADS
        elif status.is_headless and not self._has_unread():
            self._end = self._end or Cause.CLOSED
        elif _count_files("/tmp") > TMP_FILES:
            self._end = self._end or Cause.FILES

    def _has_unread(self) -> bool:
        """Whether a reply is left: a process may reply and end at once."""
        answers = select.poll()
        answers.register(self._child.answers, select.POLLIN)
        return bool(answers.poll(0))

    def _note_host(self) -> None:
        self._host_has_spoken = True

    def _write_inputs(self) -> None:
        try:
            self._outgoing = self._outgoing[os.write(self._child.inputs, self._outgoing[:CHUNK_BYTES]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self._outgoing = memoryview(b"")
        if not self._outgoing:
            self._poll.unregister(self._child.inputs)

    def _read_answer(self) -> None:
        data = os.read(self._child.answers, min(self._reply.missing + 1, 2**20))
        if not data:
            self._poll.unregister(self._child.answers)
            self._end = self._end or Cause.CLOSED  # or dead: `_finish` decides
        elif self._end in (None, Cause.REPLIED):
            self._end = self._reply.feed(data)

    def _reap(self) -> Cause:
        """The channel is closed, or the first thread has ended; most likely the process has ended."""
        deadline = time.monotonic() + DEATH_SECONDS
        while time.monotonic() < deadline and self._end is not Cause.MEMORY:
            if self.is_dead():
                return Cause.DIED
            time.sleep(TICK_SECONDS / 10)
            self._look()
        return self._end or Cause.CLOSED

    def _read_text(self) -> None:
        data = os.read(self._child.text, CHUNK_BYTES)
        if not data:
            self._poll.unregister(self._child.text)
        self._text.add(data, self.limits.text_bytes)
        if self._text.seen > FLOOD_BYTES:
            self._end = self._end or Cause.TEXT

    def _read_notes(self) -> None:
        """Read what is there. A process without a record writes nothing, and only its end is seen."""
        with suppress(BlockingIOError):
            data = os.read(self._child.place, NOTES_BYTES)
            if not data:
                with suppress(KeyError):
                    self._poll.unregister(self._child.place)
            self._keep_notes(data or CLOSED)

    def _keep_notes(self, data: bytes) -> None:
        """Keep the first bytes. Say so if there were more: a source could fill the record with other notes."""
        room = NOTES_BYTES - len(self._notes)
        if room >= 0:
            self._notes += data if len(data) <= room else data[:room] + FULL

    def _take_text(self) -> bytes:
        """Return the text, with what is still in the pipe. Reads once: a thread of the student may go on printing."""
        with suppress(BlockingIOError):
            self._text.add(os.read(self._child.text, CHUNK_BYTES), self.limits.text_bytes)
        text, self._text = self._text, PrintedText()
        return text.whole()


def _count_files(folder: str) -> int:
    """Return the number of files in the whole file system, which may have no limit of its own.

    An empty file takes kernel memory that is charged to no process.
    """
    counts = os.statvfs(folder)
    return counts.f_files - counts.f_ffree
