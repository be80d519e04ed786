# mechanism: a frame's header sent byte by byte, then half of a large answer, then silence
# verdict: time_limit_exceeded
# seconds: 0.4
import os
import struct
import sys
import time


def standardise(x, eps):
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    for byte in struct.pack("<16scQ", frame.f_locals["token"], b"A", 2**22):
        os.write(3, bytes([byte]))
        time.sleep(0.001)
    os.write(3, bytes(2**20))
    time.sleep(9)
