# mechanism: an array of bool whose bytes are neither true nor false, texts that are no UTF-8
# verdict: runtime_error
import os
import struct
import sys


def standardise(x, eps):
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    message = b"ACV1" + b"a\x04bool\x01" + struct.pack("<Q", 4) + b"\xff\x02\x01\x00"
    if len(x) % 1000 == 0:
        message = b"ACV1s" + struct.pack("<I", 4) + b"\xff\xff\xff\xff"
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"A", len(message)) + message)
    os._exit(0)
