# mechanism: the kernel's memory of names filled with names that do not exist
# verdict: time_limit_exceeded
# seconds: 0.4
import itertools
import os


def standardise(x, eps):
    for number in itertools.count():
        os.access(f"/usr/lib/{number:0250}", os.F_OK)
