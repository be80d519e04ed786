# mechanism: a process name with a carriage return, which reads like a field of /proc/PID/status once the process is dead
# verdict: runtime_error
import ctypes
import os


def standardise(x, eps):
    ctypes.CDLL(None).prctl(15, b"\rRssAnon:x", 0, 0, 0)
    os._exit(0)
