# mechanism: much memory in one request
# verdict: memory_limit_exceeded
import numpy as np


def standardise(x, eps):
    return np.ones(2**31, np.float32)
