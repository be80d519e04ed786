# mechanism: the right values as a column, which would broadcast to a table
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    return ((x - x.mean()) / np.sqrt(x.var() + np.float32(eps)))[:, None]
