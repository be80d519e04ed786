"""Inputs for the cases: parameters and gradients are nested dicts with the same structure."""

import numpy as np

SHAPES = {
    "hidden": {"kernel": (3, 4), "bias": (4,)},
    "norm": {"scale": (4,)},
    "output": {"kernel": (4, 2), "bias": (2,)},
}


def training(seed, steps, lr, beta2, weight_decay, eps=1e-8, size=1.0):
    """Random parameters, and for each step random gradients of about `size` that share a direction."""
    rng = np.random.default_rng(seed)
    direction = tree(lambda shape: rng.normal(size=shape))
    return {
        "params": tree(lambda shape: floats(0.5 + rng.normal(size=shape))),
        "grads": [mixed(rng, direction, size) for _ in range(steps)],
        "lr": lr,
        "beta1": 0.9,
        "beta2": beta2,
        "eps": eps,
        "weight_decay": weight_decay,
    }


def tree(leaf):
    return {layer: {name: leaf(shape) for name, shape in arrays.items()} for layer, arrays in SHAPES.items()}


def mixed(rng, direction, size):
    return {
        layer: {name: floats(size * (d + rng.normal(size=d.shape))) for name, d in arrays.items()}
        for layer, arrays in direction.items()
    }


def floats(values):
    return np.asarray(values, dtype=np.float32)
