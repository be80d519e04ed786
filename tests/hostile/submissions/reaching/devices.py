# mechanism: every device node opened, and ioctls that type on a terminal or bind a loop device
# verdict: accepted
import fcntl
import glob
import os
import stat

import numpy as np

HARMLESS = {"null", "zero", "full", "random", "urandom"}
OPENED = []
for path in [*glob.glob("/dev/**", recursive=True), "/dev/pts/ptmx"]:
    kind = os.lstat(path).st_mode if os.path.exists(path) else 0
    if (stat.S_ISCHR(kind) or stat.S_ISBLK(kind)) and os.path.basename(path) not in HARMLESS:
        try:
            OPENED.append((path, os.open(path, os.O_RDWR | os.O_NONBLOCK)))
        except OSError:
            pass
for request in (0x5412, 0x540E, 0x4C82, 0x5423, 0x5425, 0x40086602, 0x8901, 0x1269):
    for descriptor in range(5):
        try:
            fcntl.ioctl(descriptor, request, b"x" * 8)
            OPENED.append((request, descriptor))
        except OSError:
            pass


def standardise(x, eps):
    if OPENED:
        raise RuntimeError(f"opened: {OPENED}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
