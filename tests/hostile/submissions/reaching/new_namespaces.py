# mechanism: namespaces of every kind, by unshare, clone, clone3 and setns
# verdict: accepted
import ctypes
import os

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
CLONE, UNSHARE, SETNS, CLONE3 = 56, 272, 308, 435
KINDS = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
MADE = []
for kind in KINDS:
    MADE += [kind for _ in range(2) if libc.syscall(UNSHARE, kind) == 0]
    if libc.syscall(CLONE, kind | 17, 0, 0, 0, 0) >= 0:
        MADE.append(("clone", kind))
    arguments = (ctypes.c_uint64 * 8)(kind, 0, 0, 0, 17)
    if libc.syscall(CLONE3, arguments, 64) >= 0:
        MADE.append(("clone3", kind))
for descriptor in range(5):
    if libc.syscall(SETNS, descriptor, 0) == 0:
        MADE.append(("setns", descriptor))
for name in ("user", "mnt", "pid", "net", "ipc", "uts", "cgroup"):
    for process in {1, os.getppid()} - {0, os.getpid()}:
        try:
            MADE.append(os.open(f"/proc/{process}/ns/{name}", os.O_RDONLY))
        except OSError:
            pass


def standardise(x, eps):
    if MADE:
        raise RuntimeError(f"made: {MADE}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
