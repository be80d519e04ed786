# mechanism: an answer larger than any answer may be
# verdict: output_limit_exceeded
import numpy as np


def standardise(x, eps):
    return np.broadcast_to(np.float32(0), (2**28,))
