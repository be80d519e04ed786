# mechanism: memory that grows downwards, which no limit on data counts, filled by one call
# verdict: runtime_error
import ctypes

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
SIZE = 3 * 2**30


def standardise(x, eps):
    start = libc.mmap(None, SIZE, 3, 0x4122, -1, 0)
    if start == 2**64 - 1:
        raise OSError(ctypes.get_errno(), "mmap")
    libc.madvise(start, SIZE, 23)
    return x * 0
