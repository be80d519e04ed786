"""Run a command as an unprivileged user, for a PostgreSQL that refuses to run as root.

usage: python unprivileged.py UID CAPABILITY COMMAND [ARGUMENT ...]

CAPABILITY is the number of one Linux capability to keep, or -1. The folders above the data or above the programs may be
closed to everybody but root (a clone under /root). Their permissions are not ours to change, so PostgreSQL keeps
CAP_DAC_READ_SEARCH as an ambient capability: it may then pass through folders, and still write nowhere but in its own.
This is a program of its own, not a `preexec_fn`: between fork and exec of a process with threads, Python may hang.
"""

import ctypes
import os
import sys

PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 28, 38, 47, 2
# A change of uid leaves the capabilities alone; and access(2), by which PostgreSQL looks at its own programs, counts
# them also for a user who is not root.
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAPABILITY_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Words(ctypes.Structure):
    """capset(2) takes two sets of these: capabilities 0 to 31, and the rest."""

    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


_libc = ctypes.CDLL(None, use_errno=True)


def main(arguments: list[str]) -> None:
    uid, capability, command = int(arguments[0]), int(arguments[1]), arguments[2:]
    if capability >= 0:
        _prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if capability >= 0:
        _keep_only(capability)
    _prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.execv(command[0], command)


def _keep_only(capability: int) -> None:
    bits = 1 << capability
    words = (_Words * 2)(_Words(bits, bits, bits), _Words(0, 0, 0))
    header = _Header(CAPABILITY_VERSION_3, 0)
    if _libc.capset(ctypes.byref(header), words) != 0:
        raise OSError(ctypes.get_errno(), "capset")
    _prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)


def _prctl(option: int, first: int, second: int = 0) -> None:
    if _libc.prctl(option, first, second, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


if __name__ == "__main__":
    main(sys.argv[1:])
