# mechanism: an array without elements that announces a huge shape
# verdict: output_limit_exceeded
import numpy as np


def standardise(x, eps):
    return np.empty((0, 2**40), np.float32)
