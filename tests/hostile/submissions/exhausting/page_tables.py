# mechanism: page tables for untouched, read-only memory, which are in no process's resident memory
# verdict: memory_limit_exceeded
import ctypes

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
STEP = 2**21
COUNT = 150_000  # 4 KiB each: 586 MiB


def standardise(x, eps):
    libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    start = libc.mmap(None, COUNT * STEP, 1, 0x4022, -1, 0)
    if start == 2**64 - 1:
        raise OSError(ctypes.get_errno(), "mmap")
    libc.madvise(start, COUNT * STEP, 15)  # small pages
    memory = np.ctypeslib.as_array((ctypes.c_uint8 * (COUNT * STEP)).from_address(start))
    before = open("/proc/meminfo").read()
    int(memory[::STEP].max())
    after = open("/proc/meminfo").read()
    pick = lambda text: [line for line in text.splitlines() if line.startswith(("PageTables:", "MemAvail"))]
    print(pick(before), pick(after))
    return (x - x.mean()) / (x.var() + eps) ** 0.5
