# mechanism: shared writable memory, which no limit on data counts
# verdict: runtime_error
import mmap


def standardise(x, eps):
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 2**24))
        kept[-1].write(b"x" * 2**24)
