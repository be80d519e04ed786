"""Mistake: compares each element with all later ones, so the time grows with the square of the length."""

import numpy as np


def count_pairs(x, total):
    return sum(int(np.count_nonzero(x[i + 1 :] == total - x[i])) for i in range(len(x)))
