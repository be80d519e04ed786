# mechanism: shared pages of /dev/zero, unmapped again at once so that they are not counted
# verdict: runtime_error
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
MIB = 2**20


def standardise(x, eps):
    zero = os.open("/dev/zero", os.O_RDWR)
    start = libc.mmap(None, 600 * MIB, 1, 1, zero, 0)
    if start == 2**64 - 1:
        raise OSError(ctypes.get_errno(), "mmap")
    before = open("/proc/meminfo").read()
    for chunk in range(0, 600, 4):
        at = start + chunk * MIB
        if libc.madvise(at, 4 * MIB, 22):
            raise OSError(ctypes.get_errno(), "populate")
        libc.madvise(at, 4 * MIB, 4)
    after = open("/proc/meminfo").read()
    pick = lambda text: [line for line in text.splitlines() if line.startswith(("Shmem:", "MemAvail"))]
    print(pick(before), pick(after))
    return (x - x.mean()) / (x.var() + eps) ** 0.5
