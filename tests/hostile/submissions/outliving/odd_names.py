# mechanism: files whose names are no text, end in nothing, or look like options
# verdict: accepted
import os

import numpy as np

for name in (b"\xff\xfe", b"new\nline", b"-rf", b"...", b" ", b"\x1b[2J", b"x" * 255, b"*", "\u202e".encode()):
    os.mkdir(b"/tmp/" + name)
    open(b"/tmp/" + name + b"/" + name, "w").close()
os.symlink(b"/tmp", b"/tmp/loop")
os.symlink(b"/proc/1/root", b"/tmp/root")
os.link(b"/tmp/...//...", b"/tmp/hard")


def standardise(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
