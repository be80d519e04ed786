# mechanism: threads that unshare their table of descriptors, to have the limit for each, all full of sockets
# verdict: accepted
import ctypes
import socket
import threading

import numpy as np

CLOSE_RANGE, UNSHARE = 436, 2
LET_GO = threading.Event()
HELD = []


def fill(ready):
    ctypes.CDLL(None).syscall(CLOSE_RANGE, 2**30, 2**30, UNSHARE)
    try:
        while True:
            HELD.append(socket.socketpair())
    except OSError:
        ready.release()
    LET_GO.wait()


def standardise(x, eps):
    ready = threading.Semaphore(0)
    threads = [threading.Thread(target=fill, args=(ready,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in threads:
        ready.acquire()
    assert len(HELD) < 128, len(HELD)
    LET_GO.set()
    HELD.clear()
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
