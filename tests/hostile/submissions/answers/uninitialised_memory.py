# mechanism: freed memory that may have held an answer
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return np.empty_like(x)
