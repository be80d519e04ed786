# mechanism: the right answer, computed in the input's own memory
# verdict: wrong_answer
# message: your function changed x in place; work on a copy: x = x.copy()
import numpy as np


def standardise(x, eps):
    deviation = np.sqrt(x.var() + np.float32(eps))
    x -= x.mean()
    x /= deviation
    return x
