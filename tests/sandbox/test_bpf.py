"""The filters, run by an interpreter of classic BPF on both architectures."""

import errno
import struct

import pytest

from sandbox.guest import seccomp_filter as bpf
from sandbox.guest.seccomp_filter import (
    NAMESPACES_ALLOWED,
    NOT_SUPPORTED,
    REFUSED,
    STUDENT_ALLOWED,
    SUPERVISOR_ALLOWED,
    Filter,
    box_filter,
    numbers,
    student_filter,
)
from tests.sandbox.test_syscalls import PERMITTED_ARGUMENTS, REFUSED_ARGUMENTS

ALLOWED = "allowed"
KILLED = "killed"
STUDENT = student_filter(pid=7)


def decide(wanted: Filter, machine: str, number: int, *arguments: int, arch: int | None = None) -> str | int:
    return run_program(bpf.assemble(wanted, machine), machine, number, *arguments, arch=arch)


def run_program(program: bytes, machine: str, number: int, *arguments: int, arch: int | None = None) -> str | int:
    """Return the kernel's action: allow, kill, or fail with an errno."""
    given = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, arch or bpf.AUDIT_ARCH[machine], 0, *(value & (2**64 - 1) for value in given))
    result = _run(program, data)
    if result & 0x7FFF0000 == bpf.ERRNO:
        return result & 0xFFFF
    return {bpf.ALLOW: ALLOWED, bpf.KILL_PROCESS: KILLED}[result]


def _run(program: bytes, data: bytes) -> int:
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = struct.unpack_from("<HBBI", program, at * 8)
        at += 1
        if code == bpf.RETURN:
            return int(value)
        if code == bpf.LOAD:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif code == bpf.AND:
            accumulator &= value
        elif code == bpf.JUMP_IF_EQUAL:
            at += if_true if accumulator == value else if_false
        elif code == bpf.JUMP_IF_NOT_LESS:
            at += if_true if accumulator >= value else if_false


@pytest.fixture(params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_every_name_has_a_number_on_some_architecture() -> None:
    known = numbers("x86_64").keys() | numbers("aarch64").keys()

    assert known >= (STUDENT_ALLOWED | SUPERVISOR_ALLOWED | NAMESPACES_ALLOWED | REFUSED | NOT_SUPPORTED)


def test_calls_that_are_allowed_without_conditions_pass(machine: str) -> None:
    known = numbers(machine)

    assert {decide(STUDENT, machine, known[name]) for name in STUDENT.allowed & known.keys()} == {ALLOWED}


def test_refused_calls_fail_with_their_errno(machine: str) -> None:
    known = numbers(machine)

    for name in STUDENT.refused.keys() & known.keys():
        assert decide(STUDENT, machine, known[name]) == STUDENT.refused[name], name


def test_rules_look_at_arguments(machine: str) -> None:
    known = numbers(machine)

    for name, calls in REFUSED_ARGUMENTS.items():
        found = {decide(STUDENT, machine, known[name], *arguments) for arguments in calls}
        assert found == {STUDENT.rules[name].otherwise}, name
    for name, calls in PERMITTED_ARGUMENTS.items():
        assert {decide(STUDENT, machine, known[name], *arguments) for arguments in calls} == {ALLOWED}, name


def test_a_process_names_only_itself(machine: str) -> None:
    known = numbers(machine)

    for name in ("kill", "tgkill", "prlimit64"):
        assert decide(STUDENT, machine, known[name], 7, 9) == ALLOWED
        assert decide(STUDENT, machine, known[name], 8, 9) == errno.EPERM


def test_unknown_calls_do_not_exist_and_foreign_architectures_are_fatal(machine: str) -> None:
    assert decide(STUDENT, machine, 5000) == errno.ENOSYS
    assert decide(STUDENT, machine, numbers(machine)["read"], arch=0x40000003) == KILLED


def test_x32_numbers_do_not_exist() -> None:
    assert decide(STUDENT, "x86_64", 0x40000000) == errno.ENOSYS


@pytest.mark.parametrize("name", ["unshare", "mount", "umount2"])
def test_a_box_may_make_namespaces_only_where_it_should(machine: str, name: str) -> None:
    number = numbers(machine)[name]

    assert decide(box_filter(namespaces=True), machine, number) == ALLOWED
    assert decide(box_filter(namespaces=False), machine, number) == errno.EPERM


def test_a_box_may_fork_but_not_into_namespaces_by_clone(machine: str) -> None:
    clone = numbers(machine)["clone"]

    assert decide(box_filter(namespaces=True), machine, clone, 0x1200011) == ALLOWED
    assert decide(box_filter(namespaces=True), machine, clone, 0x11 | 0x20000000) == errno.ENOSYS
    assert decide(box_filter(namespaces=True), machine, numbers(machine)["ptrace"]) == errno.EPERM
