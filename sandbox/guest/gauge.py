"""The memory and threads of processes, as reported by the kernel."""

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

KIB = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`memory_bytes`: anonymous and shared memory in use. `data_bytes`: memory reserved for data.

    `is_headless`: the first thread has ended and others have not. For such a process the kernel reports no memory.
    """

    memory_bytes: int
    data_bytes: int
    threads: int
    is_headless: bool


def read_status(pid: int | str) -> Status:
    """Raises OSError when the process does not exist."""
    descriptor = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return parse(os.read(descriptor, 16 * KIB))
    finally:
        os.close(descriptor)


class Gauge:
    """Reads one process repeatedly through one descriptor."""

    def __init__(self, pid: int) -> None:
        self._descriptor = os.open(f"/proc/{pid}/status", os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> Status | None:
        """Return None once the process is dead."""
        try:
            return parse(os.pread(self._descriptor, 16 * KIB, 0))
        except OSError:
            return None


class BoxGauge(Gauge):
    """Reads the student's process together with the programs that it started.

    They are all the processes of the box other than the zygote, process 1, and the monitor, which reads.
    """

    def __init__(self, pid: int) -> None:
        super().__init__(pid)
        self._known = {1, os.getpid(), pid}

    def read(self) -> Status | None:
        status, others = super().read(), self._read_started()
        return status and replace(
            status,
            memory_bytes=status.memory_bytes + sum(other.memory_bytes for other in others),
            threads=status.threads + sum(other.threads for other in others),
        )

    def _read_started(self) -> list[Status]:
        found = []
        for path in Path("/proc").iterdir():
            if path.name.isdigit() and int(path.name) not in self._known:
                with suppress(OSError):  # it has ended
                    found.append(read_status(path.name))
        return found


def parse(text: bytes) -> Status:
    # The name precedes the state and is chosen by the process: not every kernel escapes line ends in it.
    rest = text[text.rfind(b"\nState:") + 1 :]
    fields = dict(line.split(b":", 1) for line in rest.split(b"\n") if b":" in line)

    def kib(name: bytes) -> int:
        return int(fields[name].split()[0]) if name in fields else 0

    # gVisor reports only the sum, which includes mapped files.
    resident = (b"RssAnon", b"RssShmem") if b"RssAnon" in fields else (b"VmRSS",)
    threads = kib(b"Threads")
    # Page tables, swap and huge pages are memory too, though none of them counts as resident.
    return Status(
        memory_bytes=sum(map(kib, (*resident, b"VmPTE", b"VmSwap", b"HugetlbPages"))) * KIB,
        data_bytes=kib(b"VmData") * KIB,
        threads=threads,
        is_headless=threads > 1 and fields.get(b"State", b"").strip().startswith(b"Z"),
    )
