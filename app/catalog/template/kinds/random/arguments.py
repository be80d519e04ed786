"""Each function here makes the argument of its name, from inputs by their names."""

import numpy as np


def generator(seed):
    return np.random.default_rng(seed)
