"""Inputs for the cases: layers whose weights have a given spectral norm."""

import numpy as np


def layer(seed, size, norm, input_scale):
    """A dense, asymmetric matrix of the given spectral norm."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(size, size)) + 0.5
    return {
        "a": floats(norm * a / np.linalg.norm(a, ord=2)),
        "x": floats(input_scale * rng.normal(size=size)),
        "c": floats(rng.uniform(0.5, 1.5, size=size)),
    }


def chain(seed, size, weight):
    """Each unit feeds the next one only, so the loss of the last unit reaches the first one after `size` steps."""
    rng = np.random.default_rng(seed)
    c = np.zeros(size)
    c[-1] = 1.0 + rng.uniform()
    return {
        "a": floats(np.diag(rng.uniform(0.8 * weight, weight, size=size - 1), k=-1)),
        "x": floats(0.3 * rng.normal(size=size)),
        "c": floats(c),
    }


def floats(values):
    return np.asarray(values, dtype=np.float32)
