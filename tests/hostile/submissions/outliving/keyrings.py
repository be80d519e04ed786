# mechanism: keys left in the keyrings of the session, the user and the process
# verdict: accepted
import ctypes

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, REQUEST_KEY, KEYCTL = 248, 249, 250
RINGS = (-1, -2, -3, -4, -5, -6)
MADE = [libc.syscall(ADD_KEY, b"user", b"letter", b"to the next", 11, ring) for ring in RINGS]
MADE += [libc.syscall(REQUEST_KEY, b"user", b"letter", None, -3)]
MADE += [libc.syscall(KEYCTL, command, -3, 1, 0, 0) for command in (0, 1, 3, 6, 8, 11)]


def standardise(x, eps):
    if any(made >= 0 for made in MADE):
        raise RuntimeError(f"made: {MADE}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
