# mechanism: arrays of negative and wrapping shapes
# verdict: runtime_error
import os
import struct
import sys

SHAPES = [(-1,), (-4, -1), (2**63, 2), (2**32, 2**32, 0)]
count = 0


def standardise(x, eps):
    global count
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    shape = [size % 2**64 for size in SHAPES[(count + len(x)) % len(SHAPES)]]
    count += 1
    array = b"a\x07float32" + struct.pack(f"<B{len(shape)}Q", len(shape), *shape) + bytes(16)
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"A", 4 + len(array)) + b"ACV1" + array)
    os._exit(0)
