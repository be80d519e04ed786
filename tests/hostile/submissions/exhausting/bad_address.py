# mechanism: a crash by a bad address, a trap, an abort
# verdict: runtime_error
import ctypes
import os


def standardise(x, eps):
    if len(x) < 50:
        ctypes.string_at(0)
    os.abort()
