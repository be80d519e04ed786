# mechanism: the last inputs left unread in a pipe made small, so that the judge is still writing when it says goodbye
# verdict: wrong_answer
import fcntl
import os
import struct
import sys
import time

INPUTS, ANSWERS, SET_PIPE_SIZE, PAGE = 4, 3, 1031, 4096
HEADER = struct.Struct("<16scQ")


def standardise(x, eps):
    return x * 0


def exactly(size):
    data = b""
    while len(data) < size:
        data += os.read(INPUTS, size - len(data))
    return data


frame = sys._getframe()
while "token" not in frame.f_locals:
    frame = frame.f_back
try:
    fcntl.fcntl(INPUTS, SET_PIPE_SIZE, PAGE)
except OSError:
    pass
os.write(ANSWERS, HEADER.pack(frame.f_locals["token"], b"L", 0))
while True:
    token, _, size = HEADER.unpack(exactly(HEADER.size))
    if size < PAGE:
        exactly(size)
    os.write(ANSWERS, HEADER.pack(token, b"A", 5) + b"ACV1N")
    if size >= PAGE:
        time.sleep(9)
