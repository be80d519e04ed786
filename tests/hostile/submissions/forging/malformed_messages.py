# mechanism: bytes sent as an answer that the codec never writes: nested to the limit, huge counts, keys twice
# verdict: runtime_error
import os
import struct
import sys

MESSAGES = [
    b"ACV1" + b"l\xff\xff\xff\xff" + b"N" * 100,
    b"ACV1" + b"l\x01\0\0\0" * 5000 + b"N",
    b"ACV1" + b"d\x02\0\0\0" + (b"i" + bytes(8) + b"N") * 2,
    b"ACV1" + b"a\x07float32\x02" + struct.pack("<QQ", 2**63, 2**63),
    b"ACV1" + b"I\x00\x02\0\0" + b"\0" * 512,
    b"",
]
count = 0


def standardise(x, eps):
    global count
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    message = MESSAGES[(count + len(x)) % len(MESSAGES)]
    count += 1
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"A", len(message)) + message)
    os._exit(0)
