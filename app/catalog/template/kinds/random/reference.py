import numpy as np


def draw_triangular(generator, n):
    return np.sqrt(generator.random(n))
