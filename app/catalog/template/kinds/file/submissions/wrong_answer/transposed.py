"""Mistake: saves the transposed weights."""

import numpy as np


def save_checkpoint(path, weights, step):
    np.savez(path, weights=weights.T, step=step)
