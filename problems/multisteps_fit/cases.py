"""Inputs for the cases: the parameters are a nested dict, which a draw in YAML can't describe."""

import numpy as np


def worked_example(seed):
    """The numbers of the statement: one hidden unit, two classes, three micro-batches of one example."""
    del seed  # fixed numbers
    return {
        "params": {
            "hidden": {"kernel": floats([[1.0]]), "bias": floats([0.0])},
            "output": {"kernel": floats([[0.0, 0.0]]), "bias": floats([0.0, 0.0])},
        },
        "x_micro": floats([[[1.0]], [[-0.5]], [[2.0]]]),
        "y_micro": np.array([[0], [1], [0]], dtype=np.int32),
        "every_k": 2,
        "lr": 1.0,
    }


def classification(seed, micro_batches, micro_size, every_k, lr):
    """Gaussian inputs (T, M, 8) with four classes that depend on them; small random parameters."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(micro_batches, micro_size, 8))
    teacher = rng.normal(size=(8, 4))
    return {
        "params": {
            "hidden": {"kernel": floats(0.15 * rng.normal(size=(8, 16))), "bias": floats(np.zeros(16))},
            "output": {"kernel": floats(0.15 * rng.normal(size=(16, 4))), "bias": floats(np.zeros(4))},
        },
        "x_micro": floats(x),
        "y_micro": np.argmax(x @ teacher, axis=-1).astype(np.int32),
        "every_k": every_k,
        "lr": lr,
    }


def floats(values):
    return np.asarray(values, dtype=np.float32)
