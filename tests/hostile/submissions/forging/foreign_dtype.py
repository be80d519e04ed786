# mechanism: arrays that claim dtypes which run code, point into memory, or do not exist
# verdict: runtime_error
import os
import struct
import sys

NAMES = [b"object", b"O", b"void64", b"str_", b"float31", b"\xff\xfe", b"float32, (2,3)f8", b"datetime64[s]"]
count = 0


def standardise(x, eps):
    global count
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    name = NAMES[(count + len(x)) % len(NAMES)]
    count += 1
    array = b"a" + bytes([len(name)]) + name + struct.pack("<BQ", 1, 4) + bytes(64)
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"A", 4 + len(array)) + b"ACV1" + array)
    os._exit(0)
