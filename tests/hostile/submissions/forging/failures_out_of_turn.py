# mechanism: failures of a made-up stage, of kinds out of turn, and of five parts instead of four
# verdict: runtime_error
import os
import struct
import sys

REPLIES = [
    (b"R", b"load\0a\0b"),
    (b"R", b"x\0" * 5),
    (b"L", b""),
    (b"S", b""),
    (b"I", b"load\0\0\0"),
    (b"R", b"\xff" * 65536),
]
count = 0


def standardise(x, eps):
    global count
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    kind, content = REPLIES[(count + len(x)) % len(REPLIES)]
    count += 1
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], kind, len(content)) + content)
    os._exit(0)
