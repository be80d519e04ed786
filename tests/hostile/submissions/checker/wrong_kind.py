# mechanism: the right values as complex numbers
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return ((x - x.mean()) / np.sqrt(x.var() + np.float32(eps))).astype(np.complex64)
