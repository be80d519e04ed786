import numpy as np


def save_checkpoint(path, weights, step):
    with open(path, "wb") as file:
        np.savez_compressed(file, step=np.asarray(step), weights=weights)
