# mechanism: sockets left listening, by name, by an abstract name, by a port
# verdict: accepted
import ctypes
import socket

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
LEFT = []
one, _ = socket.socketpair()
for address in ("\0letter", "/tmp/letter", "/dev/shm/letter"):
    name = b"\x01\x00" + address.encode().ljust(108, b"\0")
    for call in (libc.bind, libc.connect):
        if call(one.fileno(), name, len(name)) == 0:
            LEFT.append(address)
if libc.listen(one.fileno(), 5) == 0:
    LEFT.append("listen")
for family in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
    try:
        LEFT.append(socket.socket(family, socket.SOCK_STREAM))
    except OSError:
        pass


def standardise(x, eps):
    if LEFT:
        raise RuntimeError(f"left: {LEFT}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
