# mechanism: honest: a subclass used properly, temporary files, a warning
# verdict: accepted
import tempfile
import warnings

import numpy as np


class Vector(np.ndarray):
    pass


def standardise(x, eps):
    warnings.warn("honest warning")
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", x)
        x = np.load(f"{folder}/x.npy")
    return ((x - x.mean()) / np.sqrt(x.var() + np.float32(eps))).view(Vector)
