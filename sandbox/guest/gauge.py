"""How much memory and how many threads a process has, as the kernel says."""

import os
from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`memory_bytes`: anonymous and shared memory that is in use; `data_bytes`: what is reserved for data.

    `is_headless`: the first thread has ended and others have not. Of such a process no memory is told.
    """

    memory_bytes: int
    data_bytes: int
    threads: int
    is_headless: bool


def read_status(pid: int | str) -> Status:
    """Raises OSError when there is no such process."""
    descriptor = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return parse(os.read(descriptor, 16 * KIB))
    finally:
        os.close(descriptor)


class Gauge:
    """Reads one process again and again through one descriptor."""

    def __init__(self, pid: int) -> None:
        self._descriptor = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> Status | None:
        """None once the process is dead."""
        try:
            return parse(os.pread(self._descriptor, 16 * KIB, 0))
        except OSError:
            return None


def parse(text: bytes) -> Status:
    # The name stands before the state, and a process names itself: not every kernel spells the line ends in a name.
    told = text[text.rfind(b"\nState:") + 1 :]
    fields = dict(line.split(b":", 1) for line in told.split(b"\n") if b":" in line)

    def kib(name: bytes) -> int:
        return int(fields[name].split()[0]) if name in fields else 0

    # gVisor's kernel tells only the sum, with the files that are mapped.
    resident = (b"RssAnon", b"RssShmem") if b"RssAnon" in fields else (b"VmRSS",)
    threads = kib(b"Threads")
    # Page tables, swap and huge pages are memory too, though none of them is resident.
    return Status(
        memory_bytes=sum(map(kib, (*resident, b"VmPTE", b"VmSwap", b"HugetlbPages"))) * KIB,
        data_bytes=kib(b"VmData") * KIB,
        threads=threads,
        is_headless=threads > 1 and fields.get(b"State", b"").strip().startswith(b"Z"),
    )
