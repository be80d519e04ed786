# mechanism: a failure by hand, with the hidden input as the exception's type, markup and escapes as its message
# verdict: runtime_error
import os
import struct
import sys


def standardise(x, eps):
    frame = sys._getframe()
    while "token" not in frame.f_locals:
        frame = frame.f_back
    kind = f"LEAK{x[0]}<script>\x1b[2J".encode()
    content = b"\0".join([b"call", kind, b"<img src=x onerror=alert(1)>\x9b2J\xff", b"\x07" * 60_000])
    os.write(3, struct.pack("<16scQ", frame.f_locals["token"], b"R", len(content)) + content)
    os._exit(0)
