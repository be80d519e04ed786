import numpy as np


def draw_triangular(generator, n):
    return np.maximum(generator.random(n), generator.random(n))
