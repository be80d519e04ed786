# mechanism: a failure that announces two gigabytes
# verdict: runtime_error
import os
import struct
import sys


def standardise(x, eps):
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"R", 2**31) + bytes(2**16))
    os._exit(0)
