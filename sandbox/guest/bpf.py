"""Builds seccomp filters as the kernel takes them: classic BPF, in plain Python, since no wheel bundles libseccomp.

Each call has a block: compare its number; if it is another's, jump over the block. Jumps have only eight bits, so the
blocks stay short, and there is no tree: the kernel caches which calls are always allowed.
"""

import errno
import platform
import struct

from .syscall_table import Filter, Rule, Test, numbers

LOAD, AND, JUMP_IF_EQUAL, JUMP_IF_NOT_LESS, RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
ALLOW, ERRNO, KILL_PROCESS = 0x7FFF0000, 0x00050000, 0x80000000
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
# Offsets in struct seccomp_data; the arguments are 64 bits each, the low half first on both architectures.
NUMBER_AT, ARCH_AT, ARGUMENTS_AT = 0, 4, 16

Code = list[tuple[int, int, int, int]]


def assemble(wanted: Filter, machine: str = platform.machine()) -> bytes:
    """The program as an array of `struct sock_filter`, for a process of that architecture."""
    number = numbers(machine)
    code = _prologue(machine)
    for name in sorted(wanted.allowed & number.keys()):
        code += _block(number[name], [_return(ALLOW)])
    for name in sorted(wanted.rules.keys() & number.keys()):
        code += _block(number[name], _checks(wanted.rules[name]))
    for name in sorted(wanted.refused.keys() & number.keys()):
        code += _block(number[name], [_return(ERRNO | wanted.refused[name])])
    code.append(_return(ERRNO | errno.ENOSYS))
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _prologue(machine: str) -> Code:
    """32-bit calls on a 64-bit kernel have other numbers: whoever makes one is up to no good."""
    code = [
        (LOAD, 0, 0, ARCH_AT),
        (JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH[machine]),
        _return(KILL_PROCESS),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    if machine == "x86_64":
        code += [(JUMP_IF_NOT_LESS, 0, 1, X32_BIT), _return(ERRNO | errno.ENOSYS)]
    return code


def _block(number: int, body: Code) -> Code:
    return [(JUMP_IF_EQUAL, 0, len(body), number), *body]


def _checks(rule: Rule) -> Code:
    code: Code = []
    for alternative in rule.alternatives:
        code += _alternative(alternative, ALLOW)
    for alternative in rule.ignored:
        code += _alternative(alternative, ERRNO)
    return [*code, _return(ERRNO | rule.otherwise)]


def _alternative(tests: tuple[Test, ...], action: int) -> Code:
    """Built from its end, since a failed test jumps over everything that follows."""
    code: Code = [_return(action)]
    for test in reversed(tests):
        load = (LOAD, 0, 0, ARGUMENTS_AT + 8 * test.argument)
        mask = [] if test.mask == 0xFFFFFFFF else [(AND, 0, 0, test.mask)]
        code = [load, *mask, (JUMP_IF_EQUAL, 0, len(code), test.value), *code]
    return code


def _return(action: int) -> tuple[int, int, int, int]:
    return (RETURN, 0, 0, action)
