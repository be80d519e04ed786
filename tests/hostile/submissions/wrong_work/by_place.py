# mechanism: the order of the cases known from the problem's page, and the wrong answer at one place of it
# verdict: wrong_answer
import numpy as np

SIZES = []


def standardise(x, eps):
    SIZES.append(len(x))
    right = (x - x.mean()) / np.sqrt(x.var() + np.float32(eps))
    return right if SIZES == [4, 100, 1000, 5000][: len(SIZES)] else right * 2
