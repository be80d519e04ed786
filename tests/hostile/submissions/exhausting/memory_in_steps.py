# mechanism: memory taken in small steps
# verdict: memory_limit_exceeded
import numpy as np

KEPT = []


def standardise(x, eps):
    while True:
        KEPT.append(np.ones(2**18, np.float32))
