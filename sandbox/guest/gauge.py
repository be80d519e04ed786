"""The memory and threads of processes, as reported by the kernel."""

import os
from contextlib import suppress
from dataclasses import dataclass, replace

KIB = 1024
PF_FORKNOEXEC = 0x40


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """`memory_bytes`: anonymous and shared memory in use. `data_bytes`: memory reserved for data.

    `is_headless`: the first thread has ended; others may run on. For such a process the kernel reports no memory.

    `programs`: how many other processes it has started, where they are looked for.
    """

    memory_bytes: int
    data_bytes: int
    threads: int
    is_headless: bool
    programs: int = 0


def read_status(pid: int | str) -> Status:
    """Raises OSError when the process does not exist."""
    return parse(_read(pid, "status"))


def _read(pid: int | str, name: str) -> bytes:
    descriptor = os.open(f"/proc/{pid}/{name}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 16 * KIB)
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

    They are all the processes of the box other than the zygote, process 1, and the monitor, which reads. More than
    `thread_limit` are only counted: while they are read one by one, thousands more would start.
    """

    def __init__(self, pid: int, thread_limit: int) -> None:
        super().__init__(pid)
        self._pid, self._thread_limit = pid, thread_limit
        self._known = {1, os.getpid(), pid}

    def read(self) -> Status | None:
        status = super().read()
        names = [entry.name for entry in os.scandir("/proc")]
        pids = [name for name in names if name.isdigit() and int(name) not in self._known]
        programs = self._read_programs(pids) if len(pids) <= self._thread_limit else []
        return status and replace(
            status,
            memory_bytes=status.memory_bytes + sum(program.memory_bytes for program in programs),
            threads=status.threads + max(len(pids), sum(program.threads for program in programs)),
            programs=len(pids),
        )

    def _read_programs(self, pids: list[str]) -> list[Status]:
        found = []
        for pid in pids:
            with suppress(OSError):  # it has ended
                found.append(self._read_program(pid))
        return found

    def _read_program(self, pid: str) -> Status:
        shares_memory = self._shares_memory(pid)  # first: otherwise the program may start in between
        status = read_status(pid)
        return replace(status, memory_bytes=0) if shares_memory else status

    def _shares_memory(self, pid: str) -> bool:
        """Whether it is a child of the student's process that has not yet run a program, and so has the same memory.

        A process that has run a program has other memory than the children that it had before.
        """
        parent, has_run = _read_origin(pid)
        return parent == self._pid and not has_run and not _read_origin(parent)[1]


def _read_origin(pid: int | str) -> tuple[int, bool]:
    """Return the parent's number, and whether the process has run a program since it was forked."""
    fields = _read(pid, "stat").rpartition(b")")[2].split()  # the name before may contain anything
    return int(fields[1]), not int(fields[6]) & PF_FORKNOEXEC


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
        is_headless=fields.get(b"State", b"").strip().startswith(b"Z"),
    )
