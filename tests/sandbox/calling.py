"""Make system calls by number inside a box, and return their errors."""

from collections.abc import Sequence
from typing import Any

from tests.sandbox.bench import Bench, value_of

# A result that is no error is 0. The C library's `syscall` hands on six whole registers.
CALL = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.syscall.argtypes = [ctypes.c_long] * 7

def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(number, *[*arguments, 0, 0, 0, 0, 0, 0][:6])
    return 0 if result != -1 else ctypes.get_errno()
"""
ALL_CALLS = f"{CALL}\ndef solve(calls):\n    return [call(*one) for one in calls]\n"


def errnos_of(bench: Bench, calls: Sequence[tuple[int, ...]]) -> list[int]:
    """Make the calls one after another in one student's process; each is a number and its arguments."""
    found: list[Any] = value_of(bench.call(ALL_CALLS, {"calls": [list(one) for one in calls]}))
    return found
