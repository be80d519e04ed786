# mechanism: the right values as an array of texts
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return ((x - x.mean()) / np.sqrt(x.var() + np.float32(eps))).astype(str)
