# mechanism: honest: a byte order mark and Windows line ends
# verdict: accepted
import numpy as np


def standardise(x, eps):
    return (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
