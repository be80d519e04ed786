"""Every system call, tried inside boxes: what the table does not allow is refused, what it allows is not.

Twice: in the student's process, behind both filters, and in the first process of a box, behind the box's alone. The
arguments are such that a call which came through would fail in another way, or do nothing that lasts.
"""

import errno
import json
import platform
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from sandbox.guest.seccomp_filter import (
    CLONE_FULL_THREAD,
    FCNTLS,
    IOCTLS,
    LOCK_FCNTLS,
    MADVICES,
    NOT_SUPPORTED,
    PRCTLS,
    REFUSED,
    STUDENT_ALLOWED,
    Filter,
    box_filter,
    numbers,
    student_filter,
)
from sandbox.interface import BoxSpec, Launcher
from tests.sandbox.bench import Bench, value_of
from tests.sandbox.calling import CALL, errnos_of

NUMBERS = numbers()
# The last that a kernel has today is below 480.
LAST = 1024
NOWHERE = -1  # as an address or a descriptor
STUDENT = student_filter(1)
# uretprobe and uprobe. The kernel makes them itself, from its own trampolines, so since 6.14 it asks no filter.
PROBES = {335, 336} if platform.machine() == "x86_64" else set()
X32 = pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86_64 has other calls beside its own")


def refusals(wanted: Filter) -> dict[int, int]:
    """Return the error of every call that is always refused, by number, from the table and not from the program."""
    passing = {NUMBERS[name] for name in (*wanted.allowed, *wanted.rules) if name in NUMBERS}
    by_name = {NUMBERS[name]: number for name, number in wanted.refused.items() if name in NUMBERS}
    tried = (number for number in range(LAST) if number not in passing | PROBES)
    return {number: by_name.get(number, errno.ENOSYS) for number in tried}


@pytest.mark.parametrize("argument", [0, NOWHERE])
def test_every_number_outside_the_students_table_is_refused(bench: Bench, argument: int) -> None:
    wanted = refusals(STUDENT)

    found = errnos_of(bench, [(number, *[argument] * 6) for number in wanted])

    assert dict(zip(wanted, found, strict=True)) == wanted


def test_the_table_names_the_dangerous_ones() -> None:
    """The other tests trust the table, so this one checks that the table itself does not allow too much."""
    dangerous = (
        "fork execve socket ptrace mount unshare setns keyctl bpf io_uring_setup userfaultfd memfd_create clone3"
    )

    assert STUDENT_ALLOWED.isdisjoint(dangerous.split())
    assert len(STUDENT_ALLOWED) < 180
    assert STUDENT_ALLOWED.isdisjoint(REFUSED | NOT_SUPPORTED)


def test_the_upper_half_of_a_number_makes_no_other_call_of_it(bench: Bench) -> None:
    """The kernel looks at the lower half only, and so must the filter."""
    names = [name for name in ("execve", "socket", "ptrace", "unshare", "memfd_create") if name in NUMBERS]

    found = errnos_of(bench, [(NUMBERS[name] + (1 << 32), NOWHERE) for name in names])

    assert found == [errno.EPERM] * len(names)


@X32
@pytest.mark.parametrize("number", sorted(PROBES))
def test_the_kernels_own_probes_are_refused_by_the_kernel(bench: Bench, number: int) -> None:
    """The kernel refuses them outside its trampolines, by SIGILL or ENXIO. Older kernels lack them."""
    outcome = bench.call(f"{CALL}\ndef solve():\n    return call({number})\n")

    killed = outcome.failure is not None and outcome.failure.kind == "SIGILL"
    assert killed or value_of(outcome) in (errno.ENOSYS, errno.ENXIO)


THREAD = 0x3D0F00  # as glibc starts one
NEW_NAMESPACES = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
OTHERS = (-1, 0, 2, 3, 12345, 2**31 - 1, -(2**31))  # of processes; the student's own is number 1, or a larger one

REFUSED_ARGUMENTS: Mapping[str, list[tuple[int, ...]]] = {
    "clone": [
        *((THREAD | flag, 0) for flag in NEW_NAMESPACES),
        *((CLONE_FULL_THREAD | flag | 1 << 32, 0) for flag in NEW_NAMESPACES),
        *((THREAD & ~flag, 0) for flag in (0x10000, 0x400)),
        *((flags, 0) for flags in (0, 17, 0x4111, 0x1200011, 0x8011, 0x2011)),
    ],
    "preadv2": [(NOWHERE, 0, 0, 0, 0, 1 << bit) for bit in range(32)],
    "pwritev2": [(NOWHERE, 0, 0, 0, 0, 1 << bit) for bit in range(32)],
    "kill": [(pid, signal) for pid in OTHERS for signal in (0, 9, 19)],
    "tgkill": [(pid, pid, signal) for pid in OTHERS for signal in (0, 9, 19)],
    "prlimit64": [(pid, resource, 0, 0) for pid in OTHERS if pid for resource in (2, 6, 7, 9)],
    "prctl": [
        (option, NOWHERE, NOWHERE, NOWHERE, NOWHERE)
        for option in (*range(100), 0x41555856, 0x59616D61, 0x53564D42, NOWHERE)
        if option not in PRCTLS
    ],
    "ioctl": [
        (NOWHERE, request | high)
        for request in (*range(0x5400, 0x5500), *range(0x8900, 0x8930), 0x4600, 0xC0184600, 0x801C581F, 0x40049409, 0)
        if request not in IOCTLS
        for high in (0, 1 << 32)
    ],
    "fcntl": [
        (NOWHERE, command | high, 1)
        for command in (*range(50), *range(1024, 1060), NOWHERE & 0xFFFFFFFF)
        if command not in (*FCNTLS, *LOCK_FCNTLS)
        for high in (0, 1 << 32)
    ],
    "flock": [(NOWHERE, operation) for operation in range(16)],
    "utimensat": [(NOWHERE, 0, 0, 0), (0, NOWHERE, 0, 0)],
    "socketpair": [
        (family, kind | flags, 0, NOWHERE)
        for family in (*range(50), NOWHERE)
        for kind in range(16)
        for flags in (0, 0x80000)
        if (family, kind) != (1, 1)
    ],
    "mmap": [
        (0, 4096, protection, flags, NOWHERE, 0)
        for flags in (0x01, 0x03, 0x21, 0x23, 0x8001, 0x40021, 0x122, 0x102, 0x123)
        for protection in range(8)
        if protection & 2 or flags & 0x20 or flags & 0x102 == 0x102
    ],
    "madvise": [(0, 0, advice) for advice in (*range(200), NOWHERE) if advice not in MADVICES],
    "close_range": [(900, 900, flags | high) for flags in (2, 3, 6) for high in (0, 1 << 32)],
    "sendto": [(NOWHERE, 0, 0, 1 | flags, 0, 0) for flags in (0, 0x40, 0x4000, 1 << 32)],
    "recvfrom": [(NOWHERE, 0, 0, 1 | flags, 0, 0) for flags in (0, 0x40, 0x4000, 1 << 32)],
    "fsync": [(NOWHERE,)],
    "fdatasync": [(NOWHERE,)],
    "msync": [(NOWHERE, 0, 4)],
}


def test_every_rule_has_arguments_to_refuse() -> None:
    assert REFUSED_ARGUMENTS.keys() == STUDENT.rules.keys()


@pytest.mark.parametrize("name", REFUSED_ARGUMENTS)
def test_arguments_outside_a_rule_are_refused(bench: Bench, name: str) -> None:
    calls = [(NUMBERS[name], *arguments) for arguments in REFUSED_ARGUMENTS[name]]

    found = errnos_of(bench, calls)

    assert [one for one, number in zip(calls, found, strict=True) if number != STUDENT.rules[name].otherwise] == []


PERMITTED_ARGUMENTS: Mapping[str, list[tuple[int, ...]]] = {
    "preadv2": [(NOWHERE, 0, 0, 0, 0, 0)],
    "pwritev2": [(NOWHERE, 0, 0, 0, 0, 0)],
    "prlimit64": [(0, 7, 0, 0)],
    "prctl": [(option, 0) for option in PRCTLS if option == 3],
    "ioctl": [(NOWHERE, request) for request in IOCTLS],
    "fcntl": [(NOWHERE, command) for command in FCNTLS],
    "madvise": [(0, 0, advice) for advice in MADVICES if advice < 20],
    "close_range": [(900, 900, 0), (900, 900, 4)],
    "sendto": [(NOWHERE, 0, 0, 0x4000, 0, 0)],
    "recvfrom": [(NOWHERE, 0, 0, 0x40, 0, 0)],
    "socketpair": [(1, 1, 0, NOWHERE), (1, 1 | 0x80000, 0, NOWHERE)],
    "mmap": [(0, 4096, 3, 0x22, NOWHERE, 0), (0, 4096, 1, 0x01, NOWHERE, 0), (0, 4096, 1, 0x02, NOWHERE, 0)],
}
FILTERED = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTTY, errno.EINVAL}


@pytest.mark.parametrize("name", PERMITTED_ARGUMENTS)
def test_arguments_within_a_rule_reach_the_kernel(bench: Bench, name: str) -> None:
    calls = [(NUMBERS[name], *arguments) for arguments in PERMITTED_ARGUMENTS[name]]

    found = errnos_of(bench, calls)

    assert FILTERED.isdisjoint(found), dict(zip(calls, found, strict=True))


# They end the process, wait for ever, or take the ground from under Python's feet.
NOT_TO_BE_TRIED = {"exit", "exit_group", "pause", "rt_sigreturn", "vfork"}
# An operation that futex does not know is ENOSYS, and kill should find no process.
HARMLESS = {"futex": (NOWHERE, 0), "kill": (0, 0)}


def harmless_calls(names: frozenset[str]) -> dict[str, tuple[int, ...]]:
    """Return calls with invalid addresses and descriptors."""
    known = sorted((names & NUMBERS.keys()) - NOT_TO_BE_TRIED)
    return {name: (NUMBERS[name], *HARMLESS.get(name, (NOWHERE,) * 6)) for name in known}


# Each in a process of its own, since a call may change the one that makes it.
CALL_EACH = f"""{CALL}
import json, sys

def become_nobody():
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(65532, 65532, 65532)
        os.setresuid(65532, 65532, 65532)

def call_alone(*arguments):
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, b"%d " % call(*arguments))
        os._exit(0)
    os.close(writing)
    os.waitpid(pid, 0)
    with open(reading) as said:
        return int((said.read().split() or [-1])[0])

become_nobody()
"""


def errnos_on_this_host(calls: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The errors of the same calls as the user `nobody`, without any filter."""
    program = f"{CALL_EACH}print(json.dumps({{name: call_alone(*one) for name, one in {dict(calls)}.items()}}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    found: dict[str, int] = json.loads(done.stdout)
    return found


def refused(found: Mapping[str, int], calls: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Allowed calls that fail as the filter makes them fail, and do not fail without it."""
    suspects = {name: calls[name] for name in calls if found[name] in (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, -1)}
    outside = errnos_on_this_host(suspects)
    return [name for name in suspects if outside[name] != found[name]]


def test_calls_that_the_students_table_allows_reach_the_kernel(bench: Bench) -> None:
    calls = harmless_calls(STUDENT.allowed)

    found = errnos_of(bench, list(calls.values()))

    assert refused(dict(zip(calls, found, strict=True)), calls) == []


@dataclass(frozen=True)
class FirstProcess:
    """Boxes that start a program in place of the guest. It has the box's walls and filter, and no others."""

    launcher: Launcher
    monkeypatch: pytest.MonkeyPatch

    @property
    def filter(self) -> Filter:
        return box_filter(namespaces=getattr(self.launcher, "isolation") != "shared")  # noqa: B009

    @property
    def unknown(self) -> set[int]:
        """The possible errors of calls in no table: engines before Docker 23 use their own answer."""
        return {errno.ENOSYS} if self.launcher.name == "bubblewrap" else {errno.ENOSYS, errno.EPERM}

    def errnos_of(self, calls: Mapping[str, tuple[int, ...]], *, act: str) -> dict[str, int]:
        """`act`: `call` or `call_alone`. The program reports its results as versions of frameworks."""
        program = f"""{CALL_EACH}
from sandbox.guest import system_calls, wire
system_calls.drop_capabilities()
found = {{name: str({act}(*one)) for name, one in json.loads(sys.argv[1]).items()}}
ready = wire.GuestFacts(isolation="namespaces", versions=found, python="", device="cpu")
wire.write_frame(wire.TO_HOST, wire.READY, ready.to_json())
"""
        arguments = ["-s", "-P", "-c", program, json.dumps(calls)]
        self.monkeypatch.setattr(sys.modules[type(self.launcher).__module__], "guest_arguments", lambda *_: arguments)
        box = self.launcher.launch(BoxSpec(()))
        box.close()
        return {name: int(number) for name, number in box.ready.versions.items()}


@pytest.fixture
def first_process(launcher: Launcher, monkeypatch: pytest.MonkeyPatch) -> FirstProcess:
    return FirstProcess(launcher, monkeypatch)


@pytest.mark.parametrize("argument", [0, NOWHERE])
def test_every_number_outside_the_boxes_table_is_refused(first_process: FirstProcess, argument: int) -> None:
    wanted = refusals(first_process.filter)

    found = first_process.errnos_of({str(n): (n, *[argument] * 6) for n in wanted}, act="call")

    named = {NUMBERS[name] for name in first_process.filter.refused.keys() & NUMBERS.keys()}
    assert {n: found[str(n)] for n in named} == {n: wanted[n] for n in named}
    assert {found[str(n)] for n in wanted.keys() - named} <= first_process.unknown


def test_calls_that_the_boxes_table_allows_reach_the_kernel(first_process: FirstProcess) -> None:
    calls = harmless_calls(first_process.filter.allowed)

    found = first_process.errnos_of(calls, act="call_alone")

    assert refused(found, calls) == []
