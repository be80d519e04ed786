# mechanism: right on the first call only
# verdict: wrong_answer
import numpy as np

CALLS = []


def standardise(x, eps):
    CALLS.append(id(x))
    if len(CALLS) > 1:
        return x * 0
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
