# mechanism: right in every call but the first of a process, unless that is the sample
# verdict: wrong_answer
import numpy as np

CALLS = []


def standardise(x, eps):
    CALLS.append(1)
    if len(CALLS) == 1 and len(x) > 4:
        return np.zeros_like(x)
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
