# mechanism: a shortcut that fails, and the failure hidden by an except
# verdict: wrong_answer
import numpy as np


def standardise(x, eps):
    try:
        table = np.zeros((4, 4), np.float32)
        table[:, 0] = x
        return (table[:, 0] - x.mean()) / np.sqrt(x.var() + np.float32(eps))
    except Exception:
        return np.zeros_like(x)
