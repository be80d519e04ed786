# mechanism: the process stopped by itself
# verdict: time_limit_exceeded
# seconds: 0.4
import os
import signal


def standardise(x, eps):
    os.kill(os.getpid(), signal.SIGSTOP)
    while True:
        signal.pause()
