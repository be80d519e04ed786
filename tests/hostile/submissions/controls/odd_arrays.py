# mechanism: honest: a read-only view, backwards, of another byte order and a wider dtype
# verdict: accepted
import numpy as np


def standardise(x, eps):
    backwards = (x[::-1] - x.mean()) / np.sqrt(x.var() + np.float32(eps))
    answer = backwards[::-1].astype(">f8")
    answer.flags.writeable = False
    return answer
