# mechanism: descriptors without end
# verdict: runtime_error
import os


def standardise(x, eps):
    while True:
        os.open("/dev/null", os.O_RDONLY)
