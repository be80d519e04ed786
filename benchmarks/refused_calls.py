"""List the system calls of a program that the student's seccomp filter refuses, with seccomp user notifications.

usage: python -m benchmarks.refused_calls {cpu,gpu} {refuse,permit} PROGRAM

PROGRAM is a Python file with two functions: `begin()` runs before the filter is installed, `go()` under it. The kernel
notifies this process of every call that the filter would refuse. This process records the call, and then refuses or
permits it. It prints JSON: how `go()` ended, and each call with its count and some of its arguments.

It needs Linux 5.6 or later and the permission to get its child's file descriptors.
"""

import ctypes
import errno
import json
import os
import platform
import re
import select
import struct
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from fcntl import ioctl
from pathlib import Path
from typing import Any, NoReturn

from sandbox.guest import seccomp_filter as bpf
from sandbox.guest import system_calls
from sandbox.guest.seccomp_filter import Filter, numbers, student_filter

SECCOMP = {"x86_64": 317, "aarch64": 277}
PIDFD_GETFD = 438  # on every architecture
SET_FILTER, NEW_LISTENER = 1, 1 << 3
USER_NOTIFICATION = 0x7FC00000
RECEIVE, SEND = 0xC0502100, 0xC0182101
NOTIFICATION, RESPONSE = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
CONTINUE = 1
EXAMPLES = 12
TEXT_BYTES = 120
# Which argument points to a path or to an address.
TEXT_ARGUMENT = {"execve": 0, "bind": 1, "connect": 1}

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


@dataclass
class Calls:
    """The counts and some arguments of system calls, by name."""

    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    examples: defaultdict[str, list[list[str]]] = field(default_factory=lambda: defaultdict(list))

    def note(self, name: str, arguments: tuple[int, ...], thread: int) -> None:
        self.counts[name] += 1
        given = [hex(argument) for argument in arguments]
        if name in TEXT_ARGUMENT:
            given[TEXT_ARGUMENT[name]] = _text_at(thread, arguments[TEXT_ARGUMENT[name]])
        if len(self.examples[name]) < EXAMPLES and given not in self.examples[name]:
            self.examples[name].append(given)


def main(device: str, mode: str, program: Path) -> None:
    wanted = student_filter(os.getpid(), gpu=device == "gpu")
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        _run(program, writer, device)
    os.close(writer)
    reports = os.fdopen(reader, "r")
    listener = int(reports.readline() or -1)
    calls = Calls()
    if listener >= 0:
        _answer(_take(pid, listener), wanted, calls, permits=mode == "permit")
    ended = reports.read().strip()
    os.waitpid(pid, 0)
    result = {"ended": ended or "died", "calls": {name: calls.examples[name] for name in sorted(calls.counts)}}
    print(json.dumps(result | {"counts": dict(calls.counts)}))


def _run(program: Path, writer: int, device: str) -> NoReturn:
    """Run the program in the child, and report to the parent through the pipe."""
    ended = "died"
    try:
        namespace: dict[str, Any] = {}
        exec(compile(program.read_text(), str(program), "exec"), namespace)
        namespace["begin"]()
        system_calls.forbid_new_privileges()
        os.write(writer, f"{_listen(student_filter(os.getpid(), gpu=device == 'gpu'))}\n".encode())
        ended = f"answered {namespace['go']()!r}"
    except BaseException as error:
        ended = f"{type(error).__name__}: {error}"
    finally:
        os.write(writer, ended[:2000].encode())
        os._exit(0)


def _listen(wanted: Filter) -> int:
    """Install the filter with a notification instead of each refusal. Return the listener's descriptor, or -1."""
    instructions = b"".join(_notifying(each) for each in struct.iter_unpack("<HBBI", bpf.assemble(wanted)))
    filter_program = _Program(len(instructions) // 8, instructions)
    number = SECCOMP[platform.machine()]
    return int(_libc.syscall(number, SET_FILTER, NEW_LISTENER, ctypes.byref(filter_program)))


def _notifying(instruction: tuple[int, ...]) -> bytes:
    code, if_true, if_false, value = instruction
    is_refusal = code == bpf.RETURN and value & 0x7FFF0000 == bpf.ERRNO
    return struct.pack("<HBBI", code, if_true, if_false, USER_NOTIFICATION if is_refusal else value)


def _take(pid: int, descriptor: int) -> int:
    """Return the child's listener as a descriptor of this process."""
    taken = int(_libc.syscall(PIDFD_GETFD, os.pidfd_open(pid), descriptor, 0))
    if taken < 0:
        raise OSError(ctypes.get_errno(), "this process may not look into its child")
    return taken


def _text_at(thread: int, address: int) -> str:
    """Return the printable characters at the address in the thread's memory, which it can change meanwhile."""
    try:
        with Path(f"/proc/{thread}/mem").open("rb", buffering=0) as memory:
            memory.seek(address)
            text = memory.read(TEXT_BYTES)
    except (OSError, OverflowError):
        return hex(address)
    return re.sub(r"[^ -~]+", " ", text.decode("latin-1")).strip()


def _answer(listener: int, wanted: Filter, calls: Calls, *, permits: bool) -> None:
    names = {number: name for name, number in numbers().items()}
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    while waiting.poll()[0][1] & select.POLLIN:
        notification = bytearray(NOTIFICATION.size)
        try:
            ioctl(listener, RECEIVE, notification)
        except FileNotFoundError:  # the caller has been killed
            continue
        identity, thread, _, number, _, _, *arguments = NOTIFICATION.unpack(notification)
        name = names.get(number, f"number {number}")
        calls.note(name, tuple(arguments), thread)
        response = (0, 0, CONTINUE) if permits else (0, -_errno_of(wanted, name), 0)
        try:
            ioctl(listener, SEND, RESPONSE.pack(identity, *response))
        except FileNotFoundError:
            continue


def _errno_of(wanted: Filter, name: str) -> int:
    if name in wanted.rules:
        return wanted.rules[name].otherwise
    return wanted.refused.get(name, errno.ENOSYS)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
