import numpy as np


def standardise_columns(x, eps):
    deviations = x - x.mean(axis=0)
    variance = np.square(deviations).mean(axis=0)
    return deviations / np.sqrt(variance + np.float32(eps))
