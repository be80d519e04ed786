"""System calls that Python's `os` lacks, through libc. Each raises OSError."""

import ctypes
import os
import platform
from pathlib import Path

CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x02000000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_CAPBSET_DROP = 1, 4, 22, 24
_PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL = 38, 47, 4
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES = 64
_MADV_COLLAPSE = 25

_libc = ctypes.CDLL(None, use_errno=True)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def unshare(flags: int) -> None:
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, options: str = "") -> None:
    encoded = None if kind is None else kind.encode()
    _check(_libc.mount(source.encode(), target.encode(), encoded, ctypes.c_ulong(flags), options.encode()), target)


def set_dumpable(*, is_dumpable: bool) -> None:
    """A process that is not dumpable can't be traced or inspected by other processes of its user."""
    _prctl(_PR_SET_DUMPABLE, int(is_dumpable))


def die_with_parent() -> None:
    """Call this after the last change of credentials, which clears the setting."""
    _prctl(_PR_SET_PDEATHSIG, 9)


def drop_capabilities() -> None:
    """Drop all capabilities that the process has or may pass on."""
    _libc.prctl(_PR_CAP_AMBIENT, ctypes.c_ulong(_PR_CAP_AMBIENT_CLEAR_ALL), *_zeros(3))
    header, empty = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()
    _check(_libc.syscall(_CAPSET[platform.machine()], header, empty), "capset")


def empty_bounding_set() -> None:
    """Make sure that no capability can come back. Call it before dropping all, since it needs one."""
    for capability in range(_CAPABILITIES):
        if _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), *_zeros(3)) != 0:
            break  # beyond this kernel's last capability


def forbid_new_privileges() -> None:
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)


def install_filter(program: bytes) -> None:
    """Install for this thread and all that it starts. Irreversible. Needs `forbid_new_privileges` before."""
    held = _Program(len(program) // 8, program)
    _check(_libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.byref(held)), "seccomp")


def use_huge_pages() -> None:
    """Move this process's own memory into huge pages, where the kernel can, which Linux does since 6.1."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, access, _offset, _device, _inode, *name = line.split()
        if "w" in access and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            _libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), _MADV_COLLAPSE)


def _prctl(option: int, value: int) -> None:
    _check(_libc.prctl(option, ctypes.c_ulong(value), *_zeros(3)), f"prctl {option}")


def _zeros(count: int) -> tuple[ctypes.c_ulong, ...]:
    return (ctypes.c_ulong(0),) * count


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
