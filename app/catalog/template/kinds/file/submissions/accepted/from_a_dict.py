import numpy as np


def save_checkpoint(path, weights, step):
    np.savez(path, **{"weights": weights, "step": step})
