"""Run a command as an unprivileged user, for a PostgreSQL that refuses to run as root.

usage: python unprivileged.py UID CAPABILITY COMMAND [ARGUMENT ...]

CAPABILITY is the number of one Linux capability to keep, or -1. Only root may be able to enter the folders above the
data or the programs, as in a clone under /root. Allclose does not change their permissions. PostgreSQL keeps
CAP_DAC_READ_SEARCH as an ambient capability instead: it can enter the folders, and can write only to its own.

This is a program and not a `preexec_fn`, because Python may hang between fork and exec of a process with threads.
"""

import ctypes
import os
import sys

PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 28, 38, 47, 2
# Keeps the capabilities when the UID changes. access(2), with which PostgreSQL checks its programs, then honours them
# for a user who is not root.
SECBIT_NO_SETUID_FIXUP = 1 << 2
CAPABILITY_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Words(ctypes.Structure):
    """One of the two arguments of capset(2), for capabilities 0 to 31 or the rest."""

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
