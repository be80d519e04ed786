# mechanism: a daemon by double fork
# verdict: runtime_error
import os
import time


def standardise(x, eps):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    return x * 0
