# mechanism: memory that is a file: memfd, secret memory, huge pages
# verdict: accepted
import ctypes
import mmap
import os

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
MADE = [libc.syscall(319, b"memory", 4), libc.syscall(319, b"memory", 0), libc.syscall(447, 0)]
try:
    huge = mmap.mmap(-1, 2**21, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x40000)
    huge[0] = 1
except OSError:
    pass


def standardise(x, eps):
    if any(made >= 0 for made in MADE):
        raise RuntimeError(f"made: {MADE}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
